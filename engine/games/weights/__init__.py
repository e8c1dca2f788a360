"""The weights that come with the package. Compiled modules may lie elsewhere, so all look for them here."""

from pathlib import Path

FOLDER = Path(__file__).parent
