"""Why games cannot be annotated."""


class AnnotateError(Exception):
    """It cannot be done; the message says why, in a line."""


class FilesError(AnnotateError):
    """The files cannot be used as asked for."""


class JournalError(AnnotateError):
    """The journal of a run cannot be used."""


class OutputError(AnnotateError):
    """The output cannot be written to."""


class WorkersError(AnnotateError):
    """Those who do the work are not there, not fit for it, or die one after the other."""


class WorkerDiedError(AnnotateError):
    """A job was given up because its workers died of it; others may be better."""
