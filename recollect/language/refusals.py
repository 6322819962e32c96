"""The words in which a model declines to answer."""

from __future__ import annotations

import re

from recollect.text.patterns import pattern

DECLINED = pattern(
    r"\W*(?:i(?:['’]m| am) (?:very )?(?:sorry|unable|not able)|sorry\b|i (?:can(?:no|['’])t|won['’]t|must decline|"
    r"will not)\b|as an ai\b)",
    re.IGNORECASE,
)
