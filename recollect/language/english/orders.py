"""Whether a text gives orders to a model, which nobody but the user may."""

from __future__ import annotations

import re
import unicodedata

from recollect.text.patterns import pattern

LONGEST = 100_000
"""How many characters are looked through at each end of a text; orders stand at its ends or are repeated."""
_ORDERS = pattern(
    r"\b(?:ignore|disregard|forget|override|bypass)\s(?:\w+\s){0,3}(?:previous|prior|above|earlier|preceding"
    r"|existing|system|your)\s"
    r"(?:\w+\s){0,2}(?:instructions?|prompts?|rules|messages?|directions|guidelines|context|training)"
    r"|\b(?:you|assistants?|the (?:ai|model|agent|assistant)) (?:must|should|shall|have to|need to"
    r"|are (?:now )?(?:required|instructed"
    r"|ordered) to|will) (?:always |never |now |immediately )?(?:remember|store|save|memori[sz]e|forget|obey|ignore"
    r"|reveal|output|send"
    r"|reply|respond|tell|execute|run|call|delete|comply|follow)"
    r"|\b(?:remember|memori[sz]e|store|save) (?:this |the following )?(?:forever|permanently|as (?:a )?(?:fact"
    r"|memory|instruction|directive)"
    r"|in(?:to)? (?:your )?(?:long-term )?memory)"
    r"|\b(?:remember|note|memori[sz]e|store) that (?:the )?(?:user|admin|owner|password)\b"
    r"|\byou are (?:now|no longer) (?:an?|the|in|bound|dan)\b|\bfrom now on,? you (?:are|will|must)\b"
    r"|\b(?:new|updated|important|hidden|secret) (?:system )?(?:instructions?|directives?|prompt) ?(?::"
    r"|for (?:the )?(?:ai|assistant|model|agent))"
    r"|\b(?:do not|don't|never) (?:tell|inform|mention|reveal|alert|warn|show)\b.{0,30}\b(?:the )?user\b"
    r"|\b(?:all|every|any|other|each) (?:\w+ )?(?:users?|customers?|visitors?|people|persons?) (?:must|should|shall"
    r"|have to|has to|need to|are to|is to) (?:always )?be (?:told|informed|advised|asked|sent|directed|instructed)\b"
    r"|\b(?:developer|jailbreak|dan|god) mode\b|\bact as (?:if you|an? (?:unrestricted|unfiltered|evil))"
    r"|\b(?:reveal|print|repeat|output|show|leak) (?:\w+ ){0,2}(?:system prompt|hidden prompt|your (?:instructions"
    r"|prompt|secrets?|api key))",
    re.IGNORECASE,
)
_ROLE = pattern(
    r"(?:^|\n)\s{0,8}(?:#{1,4} ?|\*{1,2}|<\|?/?|\[{1,2})?(?:system|assistant|developer|im_start|inst)(?: ?(?:prompt"
    r"|message))?"
    r"(?:\|?>|\]{1,2}|\*{1,2})?\s?:\s?\S|<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|<</?SYS>>"
    r"|</?(?:system|instructions?)>",
    re.IGNORECASE,
)
_HIDDEN = str.maketrans("", "", "\u200b\u200c\u200d\u2060\ufeff\u00ad")


def instructing(text: str) -> bool:
    """Tell whether a text gives orders to a model: stored, such a text from a tool or a page is a quotation only."""
    if len(text) > 2 * LONGEST:
        text = text[:LONGEST] + "\n" + text[-LONGEST:]
    plain = unicodedata.normalize("NFKC", text.translate(_HIDDEN)).replace("’", "'")
    lines = "\n".join(" ".join(line.split()) for line in plain.splitlines())
    return bool(_ROLE.search(lines) or _ORDERS.search(lines.replace("\n", " ")))
