"""Which of the compiled kernels is used on this processor.

A wheel has several: beside its sources the one for the baseline, and folders such as `x86-64-v3/engine/board`
for better processors. Packages in a wheel call `best_first`.
"""

import os

from engine.system.cpu import choices, missing


def wanted() -> str | None:
    """The one of several kernels that LOLLI_MARCH asks for; None: the best that this processor can run."""
    asked = os.environ.get("LOLLI_MARCH", "native")
    if asked == "native" or len(choices()) == 1:
        return None
    return asked or choices()[0]


def built_for() -> str:
    """The processor that the kernel in use was compiled for, as in `cc -march=`; empty for the baseline."""
    asked, offered = wanted(), choices()
    if asked in offered:
        return asked
    able = [march for march in offered if missing(march) is None]
    return able[-1] if able else offered[0]


def problem() -> str | None:
    """Why the kernel cannot be used, in a line; None where it can."""
    asked, offered, march = wanted(), choices(), built_for()
    if asked is not None and asked not in offered:
        return f"LOLLI_MARCH={asked}: this engine was built for {' and '.join(offered)} alone"
    feature = missing(march)
    if feature is None:
        return None
    return (
        f"this processor lacks {feature}, which the engine was built to use (for {march or 'the baseline'})"
    )


def best_first(path: list[str], package: str) -> None:
    """Have `package`, whose folder is `path[0]`, look for modules in that for this processor first."""
    march = built_for()
    if march != choices()[0]:
        inner = package.partition(".")[2].replace(".", "/")
        top = path[0][: -len(inner)]
        path.insert(0, f"{top}{march}/{inner}")
