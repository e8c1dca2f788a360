"""A line without an end; lines at random are in tests/scripts/laboratory/fuzzing."""

from tests.protocol.gtp.client import Controller


def test_a_line_without_an_end(lolli_command: list[str]) -> None:
    with Controller([*lolli_command, "gtp", "--game", "tictactoe"]) as controller:
        controller.send_bytes(b"x" * 3_000_000 + b"\n")
        assert controller.answer().text == "syntax error"
        identity = "9" * 500_000
        assert controller.say(f"{identity} name").id == identity
        assert not controller.say("play" + " b" * 300_000).good
