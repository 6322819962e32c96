"""The English words that tell statements apart: people, things one has, verbs of habit and of change.

Plain data. A verb or a noun that is missing here costs a fact, never a false one.
"""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


RELATIONS = _set(
    """
    mother mom mum mama father dad papa parent parents sister brother sibling siblings wife husband spouse partner
    girlfriend boyfriend fiancé fiancée fiance fiancee son daughter child children kid kids baby twins aunt uncle
    cousin cousins niece nephew grandmother grandma granny grandfather grandpa grandparents grandson granddaughter
    friend friends roommate flatmate housemate neighbour neighbor neighbours neighbors colleague colleagues coworker
    boss manager supervisor mentor teacher tutor coach therapist doctor dentist landlord landlady stepmother
    stepfather stepson stepdaughter stepsister stepbrother mother-in-law father-in-law sister-in-law brother-in-law
    ex ex-wife ex-husband team company family
    """
)
PETS = _set("dog cat puppy kitten parrot tortoise rabbit hamster horse pony hen goldfish dogs cats rabbits horses hens")
THINGS = _set(
    """
    car bike bicycle motorbike motorcycle scooter van truck boat house flat apartment cottage garden farm piano guitar
    violin cello laptop computer phone camera printer tattoo bakery shop business company restaurant blog podcast
    greenhouse studio store cafe café clinic agency startup hotel practice nursery workshop balcony sauna caravan
    campervan drone tablet
    """
)
CONDITIONS = _set(
    """
    diabetes asthma adhd autism dyslexia epilepsy migraines migraine anxiety depression arthritis insomnia tinnitus
    celiac coeliac eczema allergy allergies cancer hypertension degree phd doctorate masters diploma pacemaker scoliosis
    """
)
AIDS = _set("pump inhaler monitor wheelchair cane crutches braces epipen pacemaker aid aids glasses")
"""Things somebody uses for his health."""
DATED_THINGS = _set(
    """
    appointment meeting exam interview flight deadline wedding surgery concert recital presentation checkup
    competition race reservation viewing ceremony graduation operation train session party trip
    """
)
ATTRIBUTES = _set(
    """
    name surname nickname birthday anniversary email e-mail address number pronouns timezone job profession occupation
    hobby hobbies hometown nationality religion diet size type height weight goal salary rent major degree team
    language code pin username handle website blog school university employer car bike laptop phone computer dog cat
    house flat apartment birthplace zodiac username allergies
    """
)
STATES = _set(
    """
    married single divorced engaged widowed pregnant retired unemployed self-employed vegetarian vegan pescatarian
    left-handed right-handed ambidextrous colour-blind color-blind colourblind colorblind diabetic dyslexic epileptic
    autistic deaf blind celiac coeliac asthmatic bilingual trilingual gay lesbian bisexual queer trans non-binary
    nonbinary atheist catholic muslim jewish buddhist hindu christian kosher halal teetotal gluten-free
    lactose-intolerant freelance introverted extroverted nearsighted short-sighted
    """
)
DIETS = _set("vegetarian vegan pescatarian kosher halal teetotal gluten-free keto paleo flexitarian omnivore")
PRESENT = _set(
    """
    live work study teach own drive speak play use prefer like love hate enjoy dislike adore detest collect eat drink
    avoid wear practise practice volunteer commute support ride sing paint cook bake smoke manage rent share attend
    belong identify celebrate swim run meditate garden knit sew cycle walk breed train sleep wake start keep take
    suffer weigh earn pay coach tutor freelance row ski surf climb hike fish hunt camp code
    """
)
HABITUAL = _set(
    "go run walk swim sleep wake start keep take pay train cycle hike code share attend fish camp ski climb"
)
"""Verbs whose present tense tells a habit only when the sentence says how often, when or what exactly."""
PAST = _set(
    """
    moved relocated married bought sold adopted quit stopped switched joined graduated grew studied worked lived
    visited decided chose retired turned became gave resigned divorced enrolled emigrated immigrated founded won
    published converted migrated upgraded taught
    """
)
PAST_WEAK = _set(
    """
    started left lost changed finished broke met went got attended booked received passed failed replaced ran had
    accepted completed launched hired renewed cancelled canceled signed travelled traveled flew climbed learned learnt
    began ordered saw watched hiked
    """
)
"""Verbs of the past that tell something lasting only with a time, a name or a word of life beside them."""
EPISODES = _set(
    """
    bought visited attended met went saw watched ran climbed hiked flew travelled traveled finished won booked passed
    failed received ordered had broke lost completed
    """
)
LIFE = _set(
    """
    job school university college course class lessons degree apprenticeship internship company business baby
    promotion gym therapy marathon wedding divorce engaged married promoted pregnant diet smoking
    """
)
ONGOING = _set(
    """
    learning studying training planning moving flying visiting travelling traveling getting expecting preparing saving
    writing building renovating taking teaching recovering relocating retiring marrying adopting leaving starting
    working living attending hosting running quitting switching reading restoring
    """
)
TECHNICAL = _set(
    """
    function script test tests build server query docker file files command bug error errors exception program page line
    variable log logs database repo repository branch commit pull request endpoint loop class method module package
    compiler parser regex json api table column row value values string input output button form field docs
    documentation code spreadsheet cell formula prompt dataset model terminal browser tab
    """
)
TRANSIENT = _set(
    """
    tired hungry thirsty sick ill busy late ready sorry sure happy sad angry bored confused stuck lost fine ok okay good
    great back here there home done curious glad excited nervous worried afraid dead broken annoying slow awake asleep
    empty full gone away online offline better worse cold hot wet able trying looking wondering asking going
    """
)
WISHES = _set(
    """
    learn visit become travel move buy study start quit lose run write retire climb adopt marry save stop teach join
    open work
    """
)
IMPERATIVES = _set(
    """
    use answer reply respond write give show tell ask call include add put keep start end send explain suggest
    recommend make check run format speak talk translate address mention quote cite assume treat be do avoid round
    convert list prefer remind schedule book order commit push merge deploy test sign begin spell double-check
    summarise summarize greet apologise apologize say share offer highlight number sort name propose provide follow
    confirm read save store delete plan recommend buy cook describe end
    """
)
NUMBER_WORDS = {
    word: at
    for at, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100}
MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
IRREGULAR = {"have": "has", "be": "is", "am": "is", "do": "does", "go": "goes", "are": "is"}


def third(verb: str) -> str:
    """Give the form of a verb that goes with he, she or a name."""
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


THIRD = {third(verb): verb for verb in (*PRESENT, "have", "go", "need", "want", "hope", "plan")}
"""Third-person forms and the verbs they come from."""
