"""The real process, spoken to over pipes as a GTP controller does it."""

from dataclasses import dataclass

from tests.patience import PATIENCE
from tests.protocol.uci.dialogue import Dialogue


@dataclass(frozen=True)
class GtpAnswer:
    """What came back: whether it succeeded, the id as text, and the rest without the first blank."""

    good: bool
    id: str
    text: str

    @property
    def lines(self) -> list[str]:
        """The text line by line; one that begins below the sign has an empty first line."""
        return self.text.split("\n")


def read(lines: list[str]) -> GtpAnswer:
    """The answer in the lines up to an empty one. Fails where it is not written as GTP has it."""
    *said, end = lines
    assert end == ""
    assert said, "an empty answer"
    assert all(said), "an empty line inside"
    sign, rest = said[0][:1], said[0][1:]
    assert sign in ("=", "?"), said
    identity = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    text = rest[len(identity) :]
    assert text[:1] in ("", " "), said
    return GtpAnswer(sign == "=", identity, "\n".join([text[1:], *said[1:]]))


class Controller(Dialogue):
    """A dialogue in GTP. Leaving the context ends the input; see Dialogue."""

    def answer(self, patience: float = PATIENCE) -> GtpAnswer:
        return read(self.expect("", patience))

    def say(self, line: str, patience: float = PATIENCE) -> GtpAnswer:
        self.send(line)
        return self.answer(patience)

    def get(self, line: str, patience: float = PATIENCE) -> str:
        answer = self.say(line, patience)
        assert answer.good, f"{line}: {answer.text}"
        return answer.text

    def fail(self, line: str) -> str:
        answer = self.say(line)
        assert not answer.good, f"{line}: {answer.text}"
        return answer.text

    def answers(self) -> list[GtpAnswer]:
        found: list[GtpAnswer] = []
        lines: list[str] = []
        for line in self.rest():
            lines.append(line)
            if line == "":
                found.append(read(lines))
                lines = []
        assert not lines, lines
        return found
