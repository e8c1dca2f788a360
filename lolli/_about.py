"""The version, in the one place where it is kept."""

from protocol.about import VERSION

__version__ = VERSION
