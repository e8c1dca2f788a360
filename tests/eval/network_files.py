"""Files of networks for tests: a good one, and the same with something changed but its digest right again."""

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

from eval.network_file import load_network, save_network
from tests.eval.some_networks import BY_RANK, random_network
from tests.eval.weight_files import problem

GOOD_NETWORK = random_network(11, 32, BY_RANK, won=True)
HEAD = 16  # bytes before the description


def good_network(folder: Path) -> Path:
    path = folder / "good.lolli"
    save_network(path, GOOD_NETWORK)
    return path


def parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    end = HEAD + int.from_bytes(data[12:HEAD], "little")
    return json.loads(data[HEAD:end]), data[end:-32]


def signed(data: bytes) -> bytes:
    return data + blake2b(data, digest_size=32).digest()


def joined(description: bytes, numbers: bytes, version: int = 1) -> bytes:
    head = b"LolliNet" + version.to_bytes(4, "little") + len(description).to_bytes(4, "little")
    return signed(head + description + numbers)


def described(path: Path, **changes: Any) -> None:
    """Change the description; `...` takes an entry away."""
    description, numbers = parts(path.read_bytes())
    kept = {name: value for name, value in (description | changes).items() if value is not ...}
    path.write_bytes(joined(json.dumps(kept).encode(), numbers))


def network_problem(path: Path) -> str:
    """Why a file cannot be read: one line that names it."""
    return problem(path, load_network)
