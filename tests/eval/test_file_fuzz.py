"""Damaged files of weights and networks: refused with one line that names the file, or sound."""

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from eval.features import WEIGHTS
from eval.linear import Linear
from eval.network import Network
from eval.network_file import load_network
from eval.outcome import OutcomeModel
from eval.weight_file import LARGEST_WEIGHT, STANDARD, WeightsError, load, load_outcome
from tests.fuzzing import JSON_SNIPPETS, assert_plain, damaged, examples, exchanged, flipped, spoiled
from tests.protocol.fuzz_lines import FENS, small_network

MOST = 100_000  # centipawns, more than any position can be worth by weights
MOST_OF_A_NETWORK = 20_000
WHOLE = Path(STANDARD).read_bytes()
NETWORK = small_network()
HEAD, DIGEST = 16, 32  # bytes
END = HEAD + int.from_bytes(NETWORK[HEAD - 4 : HEAD], "little")
"""Where the description ends and the numbers begin."""


def signed(data: bytes) -> bytes:
    return data + blake2b(data, digest_size=DIGEST).digest()


def redescribed(text: bytes) -> bytes:
    return signed(NETWORK[: HEAD - 4] + len(text).to_bytes(4, "little") + text + NETWORK[END:-DIGEST])


unsigned = st.just(NETWORK[:-DIGEST])
networks = st.one_of(
    exchanged(json.loads(NETWORK[HEAD:END])).map(redescribed),
    flipped(unsigned, END).map(signed),
    damaged(unsigned, most=2).map(signed),
    spoiled(st.just(NETWORK)),
)


def assert_names(path: Path, error: WeightsError) -> None:
    assert_plain(str(error))
    assert str(error).startswith(f"{path}: ")
    assert len(str(error)) < len(str(path)) + 300


def assert_sound(found: Any) -> None:
    if isinstance(found, OutcomeModel):
        win, draw, loss = found.chances(100, 40)
        assert win + draw + loss == 1000
        assert min(win, draw, loss) >= 0
        return
    for part in (found.middle, found.endgame):
        assert len(part) == WEIGHTS
        assert all(type(each) is int and abs(each) <= LARGEST_WEIGHT for each in part)
    assert abs(Linear(found).static_value(parse_fen(FENS[1]))) < MOST
    if found.outcome is not None:
        assert_sound(found.outcome)


@given(exchanged(json.loads(WHOLE)) | spoiled(st.just(WHOLE), JSON_SNIPPETS))
@examples(200)
def test_weights(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "weights.json"
    path.write_bytes(data)
    for read in (load, load_outcome):
        try:
            found: object = read(path)
        except WeightsError as error:
            assert_names(path, error)
        else:
            assert_sound(found)


@given(networks)
@examples(300)
def test_networks(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "network.lolli"
    path.write_bytes(data)
    try:
        weights = load_network(path)
    except WeightsError as error:
        assert_names(path, error)
        return
    network = Network(weights)
    for fen in FENS[:3]:
        assert abs(network.static_value(parse_fen(fen))) <= MOST_OF_A_NETWORK
    assert weights.outcome is None or isinstance(weights.outcome, OutcomeModel)
