"""Refuses to be imported where the processor lacks what the compiled modules use: they would crash."""

from engine.cpu import built_for, missing_feature

if (_missing := missing_feature()) is not None:
    raise ImportError(
        f"this processor lacks {_missing}, which Lolli was built to use"
        f" (for {built_for() or 'the baseline'}); rebuild it here, or with LOLLI_MARCH=x86-64"
    )
