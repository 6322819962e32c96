"""Claims in other languages than English: held word for word against what was said, since no rule here reads them.

Every word that carries meaning must stand in the sentence that is quoted, the person of a verb and endings apart; whom
it is about must be the speaker or be named there. A true claim in other words is kept apart rather than believed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Set

from recollect.language.english.clauses import sentences_of
from recollect.language.english.lexicon import PAST, PAST_WEAK, PRESENT, THIRD
from recollect.text.patterns import pattern
from recollect.text.stopwords import languages, stop_words
from recollect.text.terms import fold, stem, unspaced

NEGATIONS = frozenset(
    """
    no not never none nor without cannot nicht kein keine keinen keinem keiner keines nie niemals ohne ne pas jamais
    sans aucun aucune nunca jamás sin ningún ninguna não nem sem non mai senza nessun nessuna niet geen nooit zonder
    не нет ни никогда без
    """.split()
)
_DENIES = pattern(r"[不没沒無无未]|ない|ません")
_THE_USER = frozenset(
    """
    user usuario usuaria utilisateur utilisatrice utente benutzer benutzerin nutzer nutzerin gebruiker benutzers
    nutzers utilizador utilizadora пользователь
    """.split()
)
_HELPING = {
    "german": """
    meine meinem meinen meiner meines seine seinem seinen seiner seines ihre ihrem ihren ihrer ihres unser unsere
    unserem unseren unserer habe hast haben hatten sind waren werde werden wurde wurden worden derzeit momentan
    aktuell gegen jeden jede
    """,
    "french": "avons avez ont avait avaient suis sommes êtes était étaient actuellement depuis chez",
    "spanish": """
    estoy está están estamos estaba hemos había somos fue nuestro nuestra nuestros nuestras actualmente ahora
    """,
}
"""Small words beside those in the lists: whose it is, verbs that help, and that it is so now."""
_FAMILY = frozenset("familie famille familia famiglia família gezin".split())
_US = pattern(r"\b(?:wir|uns(?:er\w*)?|nous|notre|nos|nosotr[oa]s|nuestr\w+|noi|nós|wij|ons|onze|мы)\b|\w+mos\b")
_CUT = pattern(r"[,;:.!?。、，]\s*|\s(?:und|et|y|e|en|aber|mais|pero|ma|mas|maar|but|and)\s")
_NUMBERS = {
    word: str(at)
    for at, row in enumerate(
        (
            "zwei deux dos due dois duas twee", "drei trois tres tre três drie", "vier quatre cuatro quattro quatro",
            "fünf cinq cinco cinque vijf", "sechs six seis sei zes", "sieben sept siete sette sete zeven",
            "acht huit ocho otto oito", "neun neuf nueve nove negen", "zehn dix diez dieci dez tien",
        ),
        2,
    )
    for word in row.split()
}  # fmt: skip
_DIGITS = {char: str(at) for at, char in enumerate("一二三四五六七八九十", 1)}
_FORMS = tuple(
    frozenset(words.split())
    for words in (
        """
        esse isst essen|gebe gibt geben|lese liest lesen|nehme nimmt nehmen|spreche spricht sprechen|helfe hilft helfen
        sehe sieht sehen|treffe trifft treffen|vergesse vergisst|werfe wirft|sterbe stirbt|trete tritt|weiss wissen
        gehe geht gehen|heisse heisst name namens|tue tut|mag mögen|kann können|will wollen|muss müssen|darf dürfen
        voy va vamos|doy da damos|digo dice decimos|vengo viene venimos|sé sabe sabemos|salgo sale salimos|veo ve vemos
        pongo pone ponemos|hago hace hacemos|traigo trae|oigo oye|leo lee leemos|creo cree|fui fue|hice hizo|uso usa
        llamo llama nombre llamado llamada|duermo duerme dormimos|juego juega jugamos|puedo puede podemos|pido pide
        vais va allons|fais fait faisons|peux peut pouvons|veux veut voulons|lis lit lisons|dis dit disons
        vis vit vivons|viens vient venons|prends prend prenons|mets met mettons|tiens tient tenons|sais sait savons
        appelle nom nommé nommée|dois doit devons|reçois reçoit|écris écrit écrivons|conduis conduit
        """.replace("\n", "|").split("|")
    )
)
"""Forms of one verb that begin differently, and the words for being called."""
_KIN = pattern(
    r"(herman|hij|prim|abuel|niet|suegr|cuñad|novi|espos|sobrin|amig|vecin|ti|tí|niñ|chic|filh|figli)([oa])s?"
)
"""People told apart by one vowel: a brother and a sister."""
_OF_NOUNS = frozenset(("", "s", "es", "e", "en", "n", "er", "ern"))
_SHORT = frozenset("e o a t s es en st as an is it on et te ent ons os i у ю ет ит ут ют".split()) | {""}
_OF_VERBS = _SHORT | frozenset(
    """
    n r er ern ir ar re est ten tet test end ez ais ait aient ont amo amos emos imos aba aban abas ia ian io aron
    ieron ando endo ado ada ados adas ido ida idos idas ee ees in innen nen ne m em x ue ues l le les y im
    ла л ал ала и а я е ы ть им
    """.split()
)
"""Endings, without accents: behind three shared letters the short ones count, behind four all of them."""
_I = pattern(r"\b(?:ich|je|j(?=['’])|yo|ik|io|eu|я)\b|[私僕俺](?:は|が|も)|我(?!的|们)", re.IGNORECASE)
_MINE = pattern(
    r"^\W*(?:(?:und|aber|y|pero|et|mais|e|ma|mas|en|maar)\s+)?(?:mein\w*|unser\w*|mis?|nuestr\w+|mon|ma|mes|notre|nos"
    r"|mijn|onze|ons|meus?|minhas?|(?:il |la )?mi[oae]|мо[йяёи])\s+([^\W\d_]+)",
    re.IGNORECASE,
)
_THEY = pattern(
    r"^\W*(?:er|sie|él|ella|ellos|ellas|il|elle|ils|elles|hij|zij|lui|lei|ele|ela|он|она)\s|^\W*(?:彼女?|他|她)",
    re.IGNORECASE,
)
_TOPIC = pattern(r"^[\s「]*((?:(?![私僕俺])[\u3041-\u30ff\u4e00-\u9fff々]){1,8}?)[はが]")
_TIMED = pattern(r"[今昨明毎来先去週朝夜月年日]|最近|普段")
_OF_MINE = pattern(r"我(?:的)?([爸妈哥弟姐妹父母儿女妻丈朋同老][\u4e00-\u9fff])")
_IF = pattern(r"\b(?:wenn|falls|sofern|если)\b|もし|たら、|れば、|如果|要是", re.IGNORECASE)
_SI = pattern(r"\bsi\b", re.IGNORECASE)
_MAYBE = pattern(
    r"\b(?:vielleicht|eventuell|womöglich|wahrscheinlich|vermutlich|würden?|könnten?|quizás?|tal vez|acaso"
    r"|probablemente|podría\w*|peut-être|probablement|pourrai\w*|forse|talvez|misschien|может быть)\b|\bmight\b"
    r"|\bmay\b|\bmaybe\b|\bwould\b|\bcould\b|\bif\b|かもしれ|多分|たぶん|でしょう|可能|也许|或许",
    re.IGNORECASE,
)
_USED = pattern(r"\b(?:früher|damals|ehemals|antes|antiguamente|autrefois|jadis|vroeger|раньше)\b|以前|昔|かつて")
_ENDED = pattern(r"\b(?:war(?:en)?|hatten?|era|était|used to|was|were|had|formerly|\w+te)\b|た(?:[。、\s]|$)|過")
_ASKS = pattern(r"(?:[?？]|[すのたいる]か。?)\s*[\"'”」)]*$")
_TAG = pattern(r",\s*¿?(?:oder|nicht wahr|gell|no|verdad|n['’]est-ce pas|hein|non|vero|né)\s*\?", re.IGNORECASE)
_ASKED = pattern(
    r"\b(?:ask|wonder|frag|pregunt|demand|question|chied|pergunt|vra)\w*|[質訊问問]|聞[いか]", re.IGNORECASE
)
_RUNS = pattern(r"[\u3041-\u309f]+|[\u30a0-\u30ff]+|[^\W\d_\u3041-\u30ff]+")
_GRAMMAR = pattern(
    r"ユーザー?|用[户戶]|使用者|さん|[くちゃ]{2,3}ん(?=[はがの])|(?:って|で|て)?い(?:ます|る|ません|ない|ました|た)$"
    r"|(?:ません|ました|ます|でした|です|である|だった|だ|ない|った|た|る)$|^(?:には|では|とは|は|が|も|の|に|を|で|と|へ)+"
)
_EITHER = frozenset("a im am an as do he me no on so".split())
"""English words that are none in many a foreign sentence."""
LONGEST = 2000


def language(text: str) -> str:
    """Tell the language of a text by the small words it begins with; English where they do not tell."""
    text = text[:LONGEST]
    letters = [char for char in text if char.isalpha()]
    if 2 * sum(unspaced(char) for char in letters) > len(letters):
        return "unspaced"
    said = re.findall(r"(?<!['’])\b[^\W\d_]+", unicodedata.normalize("NFKC", text))
    small = {word.casefold() for at, word in enumerate(said) if not at or word[:1].islower() or word == "I"}
    english = stop_words("english")
    others = {name: stop - english - _ENGLISH_TOO for name, stop in _SMALL.items() if name not in _OWN}
    scores = {name: len(small & stop) for name, stop in others.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > len(small & english - stop_words(best)) else "english"


_OWN = ("english",)
_SMALL = {name: stop_words(name) | frozenset(_HELPING.get(name, "").split()) for name in languages()}
_ENGLISH_TOO = frozenset(
    "want son die men mine pour door over war hat sin dare am an ten die des den car on fin see mas ma per con me te "
    "te ton lui sur os nun wie dan dies dit bin als also man".split()
)


def foreign_numbers(text: str) -> set[str]:
    """Give the small numbers a text spells out in one of the other languages."""
    found = {_NUMBERS[word] for word in re.findall(r"[^\W\d_]+", text.casefold()) if word in _NUMBERS}
    return found | {_DIGITS[char] for char in text if char in _DIGITS}


def misread_abroad(claim: str, said: str, own: Set[str], whole: str) -> str:
    """Say what a claim makes of words in another language that they do not say, as far as that can be told.

    `said` are the sentences of its quote, `whole` is the message they stand in, `own` are the speaker's names. A claim
    in English is a translation: of its words only names, numbers and whom it is about can be held against the quote.
    """
    if _ASKS.search(said.strip()) and not _TAG.search(said) and not _ASKED.search(claim):
        return "its quote is a question"
    tongue = language(whole)
    wanted = _telling(claim, own, tongue)
    clause = _clause(wanted, said, tongue)
    if _negative(claim) != _negative(clause):
        return "it denies what was said" if _negative(claim) else "it leaves out a negation"
    translated = _translated(claim, tongue)
    reason = _surer(claim, clause, said, tongue) or _other_person(claim, clause, said, own, translated)
    if reason or translated:
        return reason
    known = _Words(said, tongue)
    ours = _FAMILY if _US.search(fold(said)) else frozenset()
    strange = [word for word in wanted if fold(word) not in ours and not known.has(word)]
    return "its quote does not say " + ", ".join(dict.fromkeys(strange[:4])) if strange else ""


def english(text: str) -> bool:
    """Tell whether a text has a word that none of the other languages has: a small one, or a verb."""
    words = re.findall(r"[^\W\d_]+", text[:LONGEST])
    return "I" in words or not _ENGLISH_ALONE.isdisjoint(word.casefold() for word in words)


def _translated(claim: str, tongue: str) -> bool:
    """Tell whether a claim is in English, and what was said is not."""
    if tongue == "english" or language(claim) not in ("english", tongue):
        return False
    words = set(re.findall(r"[^\W\d_]+", claim.casefold()))
    common = stop_words("english") - stop_words(tongue) - _EITHER
    return language(claim) == "english" and not words.isdisjoint(common | THIRD.keys())


def _clause(wanted: Iterable[str], said: str, tongue: str) -> str:
    """Give the part of what was said that has most words of a claim; all of it where none has any."""
    parts = [part for part in _CUT.split(said) if part]
    known = [_Words(part, tongue) for part in parts]
    shared = [sum(one.has(word) for word in wanted) for one in known]
    best = max(shared, default=0)
    return parts[shared.index(best)] if best else said


def _negative(text: str) -> bool:
    return bool(NEGATIONS & set(re.findall(r"[^\W\d_]+", text.casefold())) or _DENIES.search(text) or "n't" in text)


def _surer(claim: str, clause: str, said: str, tongue: str) -> str:
    """Compare sure and unsure, now and then, by the few words that tell."""
    sentence = next((one for one in sentences_of(said) if clause in one), said)
    if _MAYBE.search(claim) or _supposes(claim, tongue):
        return ""
    ahead = sentence[: max(0, sentence.find(clause))]
    if _supposes(clause, tongue) or _supposes(ahead, tongue):
        return "it makes a fact of a condition"
    if _MAYBE.search(clause):
        return "it makes a certainty of a guess"
    if _USED.search(clause) and not _USED.search(claim) and not _ENDED.search(claim):
        return "it makes the present of the past"
    return ""


def _supposes(text: str, tongue: str) -> re.Match[str] | None:
    return _IF.search(text) or (_SI.search(text) if tongue in ("french", "spanish") else None)


# Who


def _other_person(claim: str, clause: str, said: str, own: Set[str], translated: bool) -> str:
    """Tell a claim about another person than the one spoken of: who speaks, or whom the quote names."""
    if language(claim) == "unspaced":
        return _other_topic(claim, clause, own)
    words = re.findall(r"[^\W\d_]+(?:['’]s\b)?", claim)
    first = next((word for word in words if fold(word) not in _COMMON), "")
    if not first:
        return ""
    bare = re.sub(r"['’]s$", "", fold(first))
    named = first[:1].isupper() and bare not in _THE_USER and not _his(bare, own)
    if named and not _Words(said, "").has(first):
        return f"its quote says nothing of {first}" if translated or _first(claim, first) else ""
    if named and _I.search(clause) and not _Words(clause, "").has(first):
        return f"it is said of the speaker, not of {first}"
    if translated or not (bare in own or bare in _THE_USER) or _I.search(clause):
        return ""
    return _of_another(claim, clause, own)


def _first(claim: str, word: str) -> bool:
    return claim.lstrip(" \"'“«¿¡").startswith(word)


def _of_another(claim: str, clause: str, own: Set[str]) -> str:
    """Tell what is said of somebody else by how its clause begins: `mi hermano vive`, `sie wohnt`, `Carlos trabaja`."""
    if _THEY.search(clause):
        return "it is said of somebody else"
    known = _Words(claim, "")
    mine = _MINE.match(clause)
    if mine and not known.has(mine[1]):
        return f"it is said of {mine[1]}, not of the speaker"
    words = re.findall(r"[^\W\d_]+", clause)
    called = words[0] if words and words[0][:1].isupper() and fold(words[0]) not in _COMMON else ""
    strange = called and not known.has(called.casefold()) and not _his(fold(called), own)
    if strange and len(words) > 1 and words[1] in claim.split():  # the verb is in the third person as it was said
        return f"it is said of {called}, not of the speaker"
    return ""


def _other_topic(claim: str, clause: str, own: Set[str]) -> str:
    """Tell what is said of somebody else where words have no spaces between them: by what stands before は or が."""
    names = "|".join(map(re.escape, sorted(own, key=len, reverse=True)))
    of_speaker = re.match(rf"\W*(?:{names}|ユーザー|用户)", claim)
    if not of_speaker or claim[of_speaker.end() :].lstrip("さん").startswith(("の", "的")):
        return ""
    if _THEY.search(clause):
        return "it is said of somebody else"
    about = _TOPIC.match(clause) or _OF_MINE.search(clause)
    if about and about[1] not in claim and not _TIMED.search(about[1]) and about[1] not in own:
        return f"it is said of {about[1]}, not of the speaker"
    return ""


def _his(word: str, own: Set[str]) -> bool:
    return word in own or (word[-1:] == "s" and word[:-1] in own)


# Every word

_ENGLISH_ALONE = (
    stop_words("english") - _EITHER - frozenset().union(*(stop for name, stop in _SMALL.items() if name not in _OWN))
) | THIRD.keys() | PRESENT | PAST | PAST_WEAK  # fmt: skip
_COMMON = frozenset().union(*_SMALL.values()) - {"gegen", "jeden", "jede", "depuis", "chez"}


def _telling(text: str, own: Set[str], tongue: str) -> list[str]:
    """Give the words of a claim that carry its meaning, as they are written; unspaced scripts as pairs."""
    out: list[str] = []
    for word in re.findall(r"[^\W\d_]+", unicodedata.normalize("NFKC", text)):
        bare = fold(word)
        if not any(map(unspaced, word)):
            light = bare in _COMMON or bare in _THE_USER or len(bare) < 2
            out += [] if light or _his(bare, own) else [word]
    return out + _pairs(text, own)


def _pairs(text: str, own: Set[str]) -> list[str]:
    """Give the pairs of characters that carry the meaning of a text without spaces: no names of the speaker, no
    particles, no endings."""
    for name in sorted(own, key=len, reverse=True):
        text = text.replace(name, " ") if any(map(unspaced, name)) else text
    out: list[str] = []
    for run in _RUNS.findall(re.sub(r"ユーザー?|用[户戶]|使用者|さん", " ", unicodedata.normalize("NFKC", text))):
        if not unspaced(run[0]):
            continue
        kana = "\u3041" <= run[0] <= "\u309f"
        left = _GRAMMAR.sub("", _GRAMMAR.sub("", run)) if kana else run
        out += [left] if len(left) == 1 and not kana else [left[at : at + 2] for at in range(len(left) - 1)]
    return out


class _Words:
    """What was said, to look words up in."""

    def __init__(self, text: str, tongue: str) -> None:
        self._text = unicodedata.normalize("NFKC", text)
        self._words = set(re.findall(r"[^\W\d_]+", fold(text)))
        self._numbers = foreign_numbers(text) | set(re.findall(r"\d+", text))
        self._tongue = tongue if tongue not in ("unspaced", "") else "none"

    def has(self, word: str) -> bool:
        """Tell whether a word was said, in whatever person or number; a name only as it is."""
        bare = fold(word)
        if any(map(unspaced, word)):
            return word in self._text
        if bare in self._words or _NUMBERS.get(bare) in self._numbers:
            return True
        return any(self._one(bare, other, word[:1].isupper()) for other in self._words)

    def _one(self, word: str, other: str, large: bool) -> bool:
        if any(word in row and other in row for row in _FORMS):
            return True
        kin, theirs = _KIN.fullmatch(word), _KIN.fullmatch(other)
        if kin and theirs:
            return kin[1] == theirs[1] and kin[2] == theirs[2]
        one, two = stem(word, "none"), stem(other, "none")
        shared = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
        rests = one[shared:], two[shared:]
        if large:
            return shared >= 3 and set(rests) <= _OF_NOUNS
        if stem(word, self._tongue) == stem(other, self._tongue):
            return True
        return shared >= 3 and set(rests) <= (_OF_VERBS if shared > 3 else _SHORT)
