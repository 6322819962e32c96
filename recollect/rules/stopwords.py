"""Words too common to find anything by, for the languages that have a list here."""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also am an and any are aren't as at be because been before being
below between both but by can can't could couldn't did didn't do does doesn't doing don't down during each
few for from further had hadn't has hasn't have haven't having he her here hers herself him himself his how
i i'd i'll i'm i've if in into is isn't it it's its itself just let's me more most my myself no nor not of
off on once only or other ought our ours ourselves out over own same she should shouldn't so some such than
that that's the their theirs them themselves then there there's these they they're this those through to
too under until up us very was wasn't we we'd we'll we're we've were weren't what what's when where which
while who whom why will with won't would wouldn't you you'd you'll you're you've your yours yourself
"""
_GERMAN = """
aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des dich die
dir doch du durch ein eine einem einen einer eines er es euch für hat hatte hier ich ihm ihn ihr im in ist
ja kann kein keine man mein mich mir mit nach nicht noch nun nur oder schon sehr sein sich sie sind so über
um und uns unter vom von vor war was weil wenn wer wie wir wird wo zu zum zur
"""
_FRENCH = """
à ai au aux avec c ce ces cette d dans de des du elle elles en es est et eu il ils j je l la le les leur
leurs lui m ma mais me mes moi mon n ne nos notre nous on ou où par pas pour qu que qui s sa se ses si son
sont sur t ta te tes toi ton tu un une vos votre vous y été être
"""
_SPANISH = """
a al algo como con cual cuando de del desde donde el ella ellas ellos en entre era eres es esa ese eso esta
este esto ha han hay he la las le les lo los me mi mis muy más ni no nos o os para pero por porque que qué
quien se ser si sin sobre son soy su sus sí también te tengo ti tiene tu tus un una uno unos y ya yo él
"""
_PORTUGUESE = """
a ao aos as com como da das de dela dele do dos e ela elas ele eles em entre era essa esse esta este eu foi
há isso isto já lhe mais mas me meu minha muito na nas nem no nos não o os ou para pela pelo por qual
quando que quem se sem ser seu sua são também te tem um uma você à às é
"""
_ITALIAN = """
a ad ai al alla alle anche c che chi ci come con cui da dal dalla de degli dei del della delle di do e ed è
era fra gli ha ho i il in io l la le lei li lo loro lui ma mi mia mio ne nei nel nella no noi non o per però
più quando quella quello questa questo se sei si sono su sua sul suo te ti tra tu tuo un una uno vi voi
"""
_DUTCH = """
aan al als bij dan dat de den der deze die dit doch door dus een en er geen had heb hebben heeft het hier
hij hoe hun ik in is ja je kan maar me men met mij mijn na naar niet nog nu of om omdat ons ook op over te
tot u uit van veel voor want was wat we wel wie wij worden zal ze zich zij zijn zo zonder
"""
_RUSSIAN = """
а без бы был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть еще ещё же
за и из или им их к как ко когда кто ли мне мы на над не него нет ни но ну о об он она они оно от по под
при с со так там те то того тоже только ты у уже чем что чтобы это этот я
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split()) | {word.replace("'", "") for word in text.split() if "'" in word}


STOP_WORDS: dict[str, frozenset[str]] = {
    "english": _words(_ENGLISH),
    "porter": _words(_ENGLISH),
    "german": _words(_GERMAN),
    "french": _words(_FRENCH),
    "spanish": _words(_SPANISH),
    "portuguese": _words(_PORTUGUESE),
    "italian": _words(_ITALIAN),
    "dutch": _words(_DUTCH),
    "russian": _words(_RUSSIAN),
}
