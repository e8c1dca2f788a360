"""The names of the players in a file, and whom a person means by a part of one."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, BinaryIO

from lolli.cli.pgn.game_reader import NoGameError, UnreadableError, header_text, headers_of, read_game
from lolli.cli.pgn.raw_games import raw_games

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Matches = Callable[[str], bool]

_UNKNOWN = frozenset(("", "?", "-"))
_MOST_NAMED = 5


class PlayerNameError(ValueError):
    """A name that nobody in the file has, or several; the message names some of them, in one line."""


class KnownPlayers:
    """Counts the games of each player, by the spelling of the name."""

    def __init__(self) -> None:
        self._games: Counter[str] = Counter()

    def add(self, headers: Mapping[str, str]) -> None:
        """Count the players of a game."""
        names = {header_text(headers.get(color, "")) for color in ("White", "Black")}
        self._games.update(names - _UNKNOWN)

    def meant(self, text: str) -> tuple[str, ...]:
        """All spellings of the one player whom `text` means, the most frequent first.

        Case does not count. It is the whole name if somebody is called so, otherwise the words of the name
        that are given, in any order, otherwise a part of it. Raises PlayerNameError if that is nobody, or if
        it is several.
        """
        wanted = " ".join(text.casefold().split())
        if not wanted:
            raise PlayerNameError("the name of the player is empty")
        words = set(_words(wanted))
        ways: tuple[Matches, ...] = (
            lambda name: name == wanted,
            lambda name: bool(words) and words.issubset(_words(name)),
            lambda name: wanted in name,
        )
        spellings = defaultdict(list)
        for name, _ in self._games.most_common():
            spellings[name.casefold()].append(name)
        for matches in ways:
            found = [each for name, each in spellings.items() if matches(name)]
            if len(found) == 1:
                return tuple(found[0])
            if found:
                names = self._told(each[0] for each in found)
                raise PlayerNameError(f"{text!r} is several players: {names}")
        raise PlayerNameError(f"no player {text!r}{self._hint(wanted, spellings)}")

    def _hint(self, wanted: str, spellings: Mapping[str, list[str]]) -> str:
        """The names that are like the wanted one, otherwise those with the most games."""
        parts = {part: name for name in spellings for part in (*_words(name), name)}
        alike = dict.fromkeys(parts[part] for part in get_close_matches(wanted, parts, _MOST_NAMED))
        if alike:
            return f"; most like it: {self._told(spellings[name][0] for name in alike)}"
        return f"; most games: {self._told(self._games)}" if self._games else ""

    def _told(self, names: Iterable[str]) -> str:
        """`Ada Lovelace (12), Ben (3) and 4 more`: names with their games, the most frequent first."""
        ordered = sorted(names, key=lambda name: -self._games[name])
        told = ", ".join(f"{name} ({self._games[name]})" for name in ordered[:_MOST_NAMED])
        more = len(ordered) - _MOST_NAMED
        return told if more <= 0 else f"{told} and {more} more"


@dataclass(frozen=True, slots=True)
class FileOutline:
    """What a first look at a file tells: its games, the number of its last piece, and the players."""

    games: int
    pieces: int
    names: KnownPlayers


def outline(file: BinaryIO) -> FileOutline:
    """Look through a file to its end."""
    games = pieces = 0
    names = KnownPlayers()
    for raw in raw_games(file):
        try:
            headers = headers_of(raw.data)
            if not headers:
                read_game(raw.data)
        except NoGameError:
            continue
        except UnreadableError:
            headers = {}
        games, pieces = games + 1, raw.number
        names.add(headers)
    return FileOutline(games, pieces, names)


def player_in(file: BinaryIO, text: str) -> tuple[str, ...]:
    """All spellings of the player of a file whom `text` means. Raises PlayerNameError."""
    return outline(file).names.meant(text)


def _words(name: str) -> list[str]:
    return name.replace(",", " ").split()
