"""Why games cannot be annotated."""


class AnnotateError(Exception):
    """It cannot be done; the message says why, in a line."""


class FilesError(AnnotateError):
    """The files cannot be used as asked for."""


class OutputError(AnnotateError):
    """The output cannot be written to."""
