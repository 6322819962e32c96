"""What a text says outright: no denial, hearsay, condition, question or make-believe stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.text.patterns import pattern

_END = pattern(r"(?:(?<!\b[A-Z])(?<!\b(?:Dr|Mr|Ms|St|Jr|Sr|vs))(?<!\b(?:Mrs|Rev|Gen|Sgt|e\.g|i\.e))"
               r"(?<!\bProf)(?<!\bCapt)[.]+|[!?…]+)[\"”'’)]*(?=\s|$)|\n\s*\n")  # fmt: skip
_NO = (
    r"\w+n['’]t|(?:do|does|did|is|are|was|were|ca|wo|ai|has|have|had|would|could|should)nt|not|no|nope|nah|nobody|none"
    r"|nothing|nowhere|never|neither|nor|cannot|without|hardly|barely|scarcely|seldom|rarely|refus\w+|den(?:y|ie)\w*"
    r"|denial|doubt\w*|disput\w+|disagree\w*|disbelie\w+|disprov\w+|contradict\w*|contrary|reject\w*|rebut\w*|refut\w+"
    r"|debunk\w*|wrong\w*|false\w*|incorrect\w*|inaccura\w+|mistak\w+|mistook|erroneous\w*|error|untrue|lie[sd]?|lying"
    r"|liars?|myth\w*|nonsense|rubbish|bullshit|absurd\w*|ridiculous\w*|bogus|fak(?:e|ed|es|ing)|hoax\w*|confus\w+"
    r"|mix(?:ed|es|ing)?\s+up|mis(?:heard|taken\w*|named|called|read|inform\w+|led|lead\w*|under\w+|believ\w+|report\w*)"
    r"|except|excluding|instead|rather|opposed|far\s+from|anything\s+but|unlike\w*|differ\w*|separate\w*|stopp?\w*"
    r"|longer|anymore|formerly|former|used\s+to|pretend\w*|impossible|impossibly|unproven|unconfirmed|unclear|uncertain"
    r"|unsure|supposed\w*"
)
_MAYBE = (
    r"if|unless|whether|provided|assuming|suppose|supposing|otherwise|in\s+case|when(?:ever)?|wh(?:at|o)ever|maybe|perhaps"
    r"|might|may\s+(?:be|also|well|have|or)|could|would|should|must|ought|possibl\w+|probabl\w+|likely|potential\w*"
    r"|presumabl\w+|apparent\w*|seem\w*|appear\w*|alleged\w*|reported\w*|reputed\w*|so-called|ostensibl\w+|theor\w+"
    r"|hypothe\w+|imagin\w+|almost|nearly|sort\s+of|kind\s+of|according|rumou?r\w*|gossip\w*|hearsay|word\s+has\s+it|legend"
    r"|has\s+it\s+that|sources|wish\w*|hop(?:e|es|ed|ing)|or|until|once|afaik|iirc|as\s+far\s+as"
    r"|for\s+all|knowledge|correction"
)
_PLAY = (
    r"novel\w*|fiction\w*|fictitious\w*|stor(?:y|ies)|tales?|fairytales?|fables?|films?|movies?|sitcoms?|episodes?|comics?"
    r"|cartoons?|anime|manga|sagas?|trilogy|plot|screenplays?|scripts?|skits?|parod\w+|satir\w+|characters?|heroes|villains?"
    r"|superhero\w*|protagonists?|avatars?|games?|gaming|gamers?|role-?play\w*|dungeons?|campaigns?|quest|costumes?|theat\w+"
    r"|musicals?|dream\w*|nightmares?|make-believe|imaginary|invented|made[\s-](?:(?:it|that|this|all)\s)*up|let['’]?s\s+say|pranks?|jok(?:e|es|ed|ing)"
    r"|kidding|riddles?|quiz\w*|example|instance|sentence|paragraph|translat\w+|parallel\s+universe|(?:the|a|this)\s+play"
    r"|(?:the|a|this|his|her|my|their|your)\s+(?:(?:new|first|last|latest|next)\s+)?(?:book|show)|series|tv|halloween|carnival|quot\w+"
)
_SAY = (
    r"th(?:ink|inks|inking|ought)|believ\w+|assum\w+|guess\w*|suspect\w*|reckon\w*|wonder\w*|feel|feels|felt|consider\w*"
    r"|expect\w*|fear\w*|presum\w+|understand|understood|understands|gather|gathered|figure|figured|convinced|opinion|bet|bets"
    r"|say|says|said|saying|tell|tells|told|telling|claim\w*|insist\w*|argu\w+|assert\w*|maintain\w*|mention\w*|report|reports"
    r"|stated|stating|declar\w+|announc\w+|whisper\w*|hear|hears|heard|hearing|read|reads|wr(?:ite|ites|iting|itten|ote)"
    r"|posts?|posted|tweet\w*|ask|asks|asked|asking|answer\w*|repl(?:y|ies|ied)|teas\w+|swear\w*|swore|suggest\w*|hint\w*"
    r"|impl(?:y|ies|ied)|speculat\w+|testif\w+|accus\w+|alleg\w+|admit\w*|promis\w+|warn\w*|decid\w+|conclud\w+|deduc\w+"
    r"|infer\w*|propos\w+|pos(?:e|es|ed|ing)|disguis\w+|idea|notion|theory|belief|suspicion|impression|assumption|statement"
)
_DOUBT = pattern(rf"\?|\b(?:{_NO}|{_MAYBE})(?![\w-])", re.IGNORECASE)
_INVENTED = pattern(rf"(?<![\w-])(?:{_PLAY})(?![\w-])", re.IGNORECASE)
_SAID = pattern(rf"\b(?:{_SAY})\b", re.IGNORECASE)
_HIS_WORDS = pattern(
    r"[,)\"”'’]+\s+(?:has\s+|had\s+|just\s+|once\s+|also\s+)?(?:said|says|told|tells|asked|asks|mentioned|wrote|writes|reads"
    r"|heard|thinks|believes|felt|feels|promised|answered|replied|announced)\s+(?:\w+\s+)+\w+",
    re.IGNORECASE,
)
_RUMOUR = pattern(
    r"\b(?:rumou?rs?|gossip|hearsay|myths?|hoax|lies?|lied|false|untrue|not\s+true|isn['’]t\s+true|wrong|kidding|jok\w+"
    r"|claims?|supposedly|allegedly)\b",
    re.IGNORECASE,
)
_BACK = pattern(
    r"^\W*(?:no|not|nope|nah|never|wrong|false|untrue|just|kidding|joking|nonsense|or|at\s+least|so|is|was|right|correct|true"
    r"|really|wait|sorry|oops|supposedly|allegedly|apparently|perhaps|maybe|actually)\b"
    r"|\b(?:that|that['’]?s|this|it|it['’]?s|sure|up)\b",
    re.IGNORECASE,
)
_QUOTE = pattern(r"[\"“”]")


def plain_sentences(text: str) -> Iterator[str]:
    """Give the sentences of a text that say what they say outright; verbs of saying in them are looked at by `told`.

    One that a neighbour takes back, calls a rumour or puts into a story is left out, and so is what stands in quotes
    that began before it.
    """
    sentences, at = [], 0
    for end in _END.finditer(text):
        sentences.append((at, text[at : end.end()]))
        at = end.end()
    sentences.append((at, text[at:]))
    for place, (start, sentence) in enumerate(sentences):
        before, after = text[:start], sentences[place + 1][1] if place + 1 < len(sentences) else ""
        if _DOUBT.search(sentence) or _INVENTED.search(before) or _INVENTED.search(sentence):
            continue
        if len(_QUOTE.findall(before)) % 2 or (place and _RUMOUR.search(sentences[place - 1][1])):
            continue
        if _BACK.search(after) and (_DOUBT.search(after) or _INVENTED.search(after) or _SAID.search(after)):
            continue
        yield sentence


def told(before: str, after: str) -> bool:
    """Tell whether words around two names make them somebody's words or thoughts: `Ana says …`, `…, I think`.

    What the named one himself goes on to say takes nothing back: `Robert Smith, who goes by Bob, said he was late`.
    """
    return bool(_SAID.search(before) or _SAID.search(_HIS_WORDS.sub("", after, count=1) if after else ""))
