"""Install pip from PyPI into this environment, if Python comes without it.

Debian keeps the module ensurepip in a package of its own, python3-venv. PIP_INDEX_URL is the index to ask.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import Request, urlopen

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple")
_WHEEL = re.compile(r"pip-([\d.]+)-py3-none-any\.whl")
_SIMPLE = "application/vnd.pypi.simple.v1+json"
_PATIENCE = 60  # seconds


def main() -> None:
    page = f"{INDEX.rstrip('/')}/pip/"
    with urlopen(Request(page, headers={"Accept": _SIMPLE}), timeout=_PATIENCE) as answer:
        wheel = newest(json.load(answer)["files"])
    with urlopen(urljoin(page, wheel["url"]), timeout=_PATIENCE) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != wheel["hashes"]["sha256"]:
        raise OSError(f"{wheel['filename']}: damaged on the way")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / wheel["filename"]
        path.write_bytes(content)
        words = ("--disable-pip-version-check", "install", "--quiet", str(path))
        subprocess.run([sys.executable, f"{path}/pip", *words], check=True)


def newest(files: list[dict[str, Any]]) -> dict[str, Any]:
    """The wheel with the highest version, without previews and yanked ones."""
    found = [(match, each) for each in files if (match := _WHEEL.fullmatch(each["filename"]))]
    sound = [(match, each) for match, each in found if not each.get("yanked")]
    return max(sound, key=lambda pair: [int(number) for number in pair[0][1].split(".")])[1]


if __name__ == "__main__":
    main()
