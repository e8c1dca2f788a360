"""Files of networks: what is written is read, is as described byte by byte, and overflows nowhere."""

import struct
from array import array
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import pytest

from engine.board.fen import START_FEN, parse_fen
from eval.network import Network
from eval.network_file import (
    STANDARD,
    NetworkWeights,
    is_network,
    load_network,
    save_network,
)
from eval.network_shape import OUTPUT_BUCKETS, ROWS
from tests.compiled import ROOT
from tests.eval.network_files import GOOD_NETWORK, parts
from tests.eval.some_networks import BY_RANK, EACH_SQUARE, ONE_BUCKET, SHAPES, numbers, random_network, shaped
from tests.eval.some_weights import MODEL


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_written_is_read(shape: str, tmp_path: Path) -> None:
    weights = shaped(shape)
    path = tmp_path / "new" / "folder" / "network.lolli"
    save_network(path, weights)
    found = load_network(path)
    assert found == weights
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    data = path.read_bytes()
    save_network(path, found)
    assert path.read_bytes() == data  # the same network gives the same file
    assert Network(found).static_value(parse_fen(START_FEN)) == Network(weights).static_value(
        parse_fen(START_FEN)
    )


def test_file_is_as_described_byte_by_byte(tmp_path: Path) -> None:
    """Whatever else may change, files of this version look like this."""
    weights = random_network(12, 64, BY_RANK, drawish=True)
    save_network(tmp_path / "a", weights)
    data = (tmp_path / "a").read_bytes()
    magic, version, zero, size = struct.unpack_from("<8sHHI", data)
    assert (magic, version, zero) == (b"LolliNet", 1, 0)
    assert (16 + size) % 64 == 0
    description, rest = parts(data)
    assert description == {
        "width": 64,
        "king_places": [*BY_RANK],
        "output_buckets": 8,
        "activation": "screlu",
        "quantisation": [255, 64],
        "scale": 139,
        "endings": {"won": False, "drawish": True},
        "outcome": {"a": list(MODEL.a), "b": list(MODEL.b)},
        "about": {"seed": 12},
    }
    count = (3 * 768 + 1 + 16) * 64
    assert struct.unpack(f"<{count}h8i", rest) == (*weights.numbers, *weights.output_biases)
    assert data[-32:] == blake2b(data[:-32], digest_size=32).digest()
    assert is_network(data[:8])
    assert not is_network(b'{"format')


def test_numbers_are_a_copy_aligned_and_read_only() -> None:
    given = array("h", GOOD_NETWORK.numbers.tolist())
    weights = replace(GOOD_NETWORK, numbers=memoryview(given))
    given[0] += 1
    assert weights.numbers[0] == given[0] - 1
    assert weights.numbers.readonly
    assert weights == GOOD_NETWORK
    assert replace(weights, numbers=memoryview(given.tobytes())) != GOOD_NETWORK


# The proof that nothing overflows


def network_of(hidden: dict[int, int], bias: int = 0, places: tuple[int, ...] = ONE_BUCKET) -> NetworkWeights:
    """One whose first hidden unit has these weights by row, all else being 0."""
    width = 32
    weights = [0] * ((1 + max(places)) * ROWS * width)
    for row, weight in hidden.items():
        weights[row * width] = weight
    outputs = [0] * (2 * OUTPUT_BUCKETS * width)
    return NetworkWeights(
        width, numbers(weights, [bias] + [0] * (width - 1), outputs), (0,) * OUTPUT_BUCKETS, places
    )


def on(squares: int, kind: int = 0) -> list[int]:
    return [kind * 64 + square for square in range(squares)]


@pytest.mark.parametrize("sense", [1, -1])
def test_all_men_at_once_may_just_fill_16_bits(sense: int) -> None:
    """32 men on 64 squares; a 33rd would be too many, and one more on the bias is."""
    hidden = dict.fromkeys(on(64), sense * 1000)
    network_of(hidden, sense * 767)
    with pytest.raises(ValueError, match="hidden unit 0 might leave 16 bits in king bucket 0"):
        network_of(hidden, sense * 768)
    hidden = dict.fromkeys(on(20), sense * 1600)
    network_of(hidden, sense * 767)
    with pytest.raises(ValueError, match="16 bits"):
        network_of(hidden, sense * 768)


@pytest.mark.parametrize("sense", [1, -1])
def test_one_man_a_square_counts(sense: int) -> None:
    """All twelve kinds on a square add what the most of them adds."""
    hidden = {row: sense * 3000 for kind in range(12) for row in on(10, kind)}
    network_of(hidden)
    network_of(hidden | dict.fromkeys(range(10, 64), -sense * 30000 // 64), sense * 2767)
    with pytest.raises(ValueError, match="16 bits"):
        network_of(hidden, sense * 2768)


def test_each_king_bucket_counts() -> None:
    hidden = dict.fromkeys((31 * ROWS + row for row in on(64)), 1100)
    with pytest.raises(ValueError, match="hidden unit 0 might leave 16 bits in king bucket 31"):
        network_of(hidden, places=EACH_SQUARE)


@pytest.mark.parametrize("weight", [127, -127])
def test_totals_may_just_fill_32_bits(weight: int) -> None:
    """33025 * 255 * 255 is the largest multiple of 255 * 255 in them."""
    width = 512
    for last, fits in ((5, True), (6, False)):
        outputs = [0] * (2 * OUTPUT_BUCKETS * width)
        for i in range(260):
            outputs[7 * 2 * width + width + i] = weight
        outputs[-1] = last if weight > 0 else -last
        outputs[-2] = -127 if weight > 0 else 127  # the other sign does not add to it
        given = numbers([0] * ROWS * width, [0] * width, outputs)
        if fits:
            NetworkWeights(width, given, (0,) * OUTPUT_BUCKETS)
        else:
            with pytest.raises(ValueError, match="output bucket 7"):
                NetworkWeights(width, given, (0,) * OUTPUT_BUCKETS)


@pytest.mark.parametrize("weight", [128, -128, 32767, -32768])
def test_output_weight_beyond_its_bound(weight: int) -> None:
    outputs = [0] * (2 * OUTPUT_BUCKETS * 32)
    outputs[3 * 64 + 5] = weight
    with pytest.raises(ValueError, match="output bucket 3"):
        NetworkWeights(32, numbers([0] * ROWS * 32, [0] * 32, outputs), (0,) * OUTPUT_BUCKETS)


# The file that comes with the program


@pytest.mark.checkout
def test_file_of_the_program_is_small_and_good() -> None:
    assert Path(STANDARD) == ROOT / "eval" / "weights" / "network.lolli"
    assert Path(STANDARD).stat().st_size <= 2_000_000
    weights = load_network(STANDARD)
    assert weights.about
    assert weights.outcome is not None
