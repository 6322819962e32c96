"""The marks of messages as columns of a search."""

from __future__ import annotations

from recollect.text.arrays import Flags, Ints, Reals, np
from recollect.text.marks import ASKS, NUMBERED, PERSON, PERSONAL, TIMED

FACETS = {"person": PERSON, "asks": ASKS, "personal": PERSONAL, "timed": TIMED, "numbered": NUMBERED}
"""The marks that tell something of a raw message."""
LONG = 60
"""From how many words on a message counts as long."""


def facets(marks: Ints, lengths: Ints, said: Flags) -> Reals:
    """Give how long texts are beyond what is ordinary, and their marks: a row a text, a column for each of `FACETS`.

    How a text is worded tells something of a message; what is kept was worded to be kept, so nothing is known of it.
    """
    bits = np.array(list(FACETS.values()))
    out = np.empty((len(marks), 1 + len(bits)), dtype=np.float32)
    out[:, 0] = np.log(np.maximum(lengths, LONG) / LONG)
    out[:, 1:] = (marks[:, None] & bits) > 0
    out[~said] = np.nan
    return out
