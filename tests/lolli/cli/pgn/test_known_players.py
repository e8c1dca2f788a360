"""Whom a part of a name means, in lists of names that are worked through by hand."""

import pytest

from lolli.cli.pgn.game_reader import KnownPlayers, PlayerNameError, header_text, headers_of


@pytest.fixture
def names() -> KnownPlayers:
    names = KnownPlayers()
    for white, black in [
        ("Ada Lovelace", "Babbage, Charles"),
        ("Ada  Lovelace", "ada lovelace"),
        ("Adam Smith", "Adams"),
        ("Adams", "Ada Lovelace"),
        ("Charles X", "?"),
        ("?", "Dr. Muñoz"),
        ("", "Adams"),
    ]:
        names.add({"White": white, "Black": black})
    names.add({})
    return names


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("ADA  LOVELACE", "Ada Lovelace"),
        ("lovelace", "Ada Lovelace"),
        ("ada", "Ada Lovelace"),  # not Adam or Adams: a whole word
        ("adams", "Adams"),
        ("charles babbage", "Babbage, Charles"),
        ("babb", "Babbage, Charles"),
        ("MUÑOZ", "Dr. Muñoz"),
        ("mun\u0303oz", "Dr. Muñoz"),  # as macOS and some keyboards write it
    ],
)
def test_one_player(names: KnownPlayers, text: str, meant: str) -> None:
    assert names.meant(text) == meant


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("charles", "'charles' is several players: Babbage, Charles (1), Charles X (1)"),
        ("dam", "'dam' is several players: Adams (3), Adam Smith (1)"),
        ("Lovelice", "no player 'Lovelice'; most like it: Ada Lovelace (3)"),
        (
            "Zzz",
            "no player 'Zzz'; most games: Ada Lovelace (3), Adams (3), Babbage, Charles (1), ",
        ),
        ("?", "no player '?'; most games: Ada Lovelace (3)"),
        (" ", "the name of the player is empty"),
    ],
)
def test_nobody_or_several(names: KnownPlayers, text: str, reason: str) -> None:
    with pytest.raises(PlayerNameError) as raised:
        names.meant(text)
    assert str(raised.value).startswith(reason)


def test_no_names() -> None:
    with pytest.raises(PlayerNameError, match=r"^no player 'Ada'$"):
        KnownPlayers().meant("Ada")


def test_headers_without_reading_the_moves() -> None:
    raw = b'\xef\xbb\xbf% said before\r\n[White "A \\"B\\" \\\\ C"]\r\n[Black "D"]\r\n\r\n1. nothing\r\n'
    headers = headers_of(raw)
    assert {name: header_text(value) for name, value in headers.items()} == {
        "White": 'A "B" \\ C',
        "Black": "D",
    }
    assert headers_of(b"1. e4 *\n") == {}
