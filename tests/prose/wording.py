"""What no sentence of a language may contain, as regular expressions: typography, grammar, terms.

If you correct the same mistake twice, add a line here. `test_wording.py` searches the English sentences and every
translation.
"""

import re

#: A placeholder that is filled in with names of players, in the nominative.
PLAYER = r"\{(?:name|names|other|others|target|losers|winners|who|host)\}"
#: One that is filled in with a name from the game, also in the nominative.
TERM = r"\{(?:domain|card|cards|effect|lost|floor)\}"

#: One that is filled in with a number, in Hungarian with the article a or az.
NUMBER = r"\{(?:number|seat|place|deal|round)\}"

#: The quotation marks of each language; an apostrophe is ’.
QUOTATION_MARKS = {"en": "“”", "de": "„“‚‘", "el": "«»“”", "hu": "„”»«", "pl": "„”«»"}

IN_EVERY_LANGUAGE = {
    "a straight quotation mark": r"[\"']",
    "three dots for an ellipsis": r"\.\.\.",
    "a space that lets a line begin with an ellipsis": r" …",
    "a hyphen or an em dash for a dash": r"(?<=\s)-(?=\s)|--|—",
    "two spaces": r"\s\s",
    "a space before a punctuation mark": r"\s[,.;:!?)·]",
    "an ending in parentheses, such as a(z)": r"\w\(\w",
}

TYPOGRAPHY = {
    "en": {
        "a space before %": r"\s%",
    },
    "de": {
        "% without a non-breaking space": r"(?<!\u00a0)%",
        "an ellipsis without a non-breaking space": r"(?<=\w)…",
    },
    "el": {
        "a space before %": r"\s%",
        "a Latin question mark": r"\?",
        "a Latin letter in a Greek word": r"[Α-ώ][A-Za-z]|[A-Za-z][Α-ώ]",
    },
    "hu": {"a space before %": r"\s%"},
    "pl": {"a space before %": r"\s%"},
}

#: Names are never inflected, so a sentence must not need another case of them, or a noun to carry the ending.
GRAMMAR = {
    "en": {"a noun before or after a name": rf"[Pp]layers? {PLAYER}|{PLAYER} player"},
    "de": {
        "a noun before or after a name": rf"[Ss]pieler(in)?(s|n|nen)? {PLAYER}|{PLAYER} Spieler",
        "a genitive of a name": rf"{PLAYER}s\b|\bdes {PLAYER}",
        "the formal address": r"(?<=[a-zäöüß,] )(Sie|Ihnen|Ihr|Ihre[mnrs]?)\b",
    },
    "el": {
        "a noun before a name": rf"[Ππ]α[ίι]κτ\w+ {PLAYER}",
        "a name after a preposition or an article": (
            rf"(?<!\w)(με|από|προς|για|σε|στ[οη]ν?|του|της|των|τους|τον?|την?|ο|η|οι) {PLAYER}"
        ),
        "a name after a preposition and a colon": rf"(?<!\w)([Μμ]ε|[Αα]πό|[Ππ]ρος|[Σσ]ε): {PLAYER}",
        "the object of a verb in the nominative": (
            rf"(?<!\w)([Ππ](αίζ\w+|αίξε|αίρν\w+|άρε)|[Κκ]ρατ\w+|[Ττ]ραβ\w+|[Ξξ]εσκαρτάρ\w+|[Δδ]ώσε|[Χχ]άν\w+) {TERM}"
        ),
    },
    "hu": {
        "a noun before or after a name": rf"{PLAYER} játékos|[Jj]átékos\w* {PLAYER}",
        "an ending glued to a name": rf"({PLAYER}|{TERM})-?\w",
        "an article that depends on what follows": rf"\b[Aa]z? „?({PLAYER}|{TERM}|{NUMBER}|{{text}})",
        "a pronoun that stands for the case of a name": rf"\b(neki|vele|rá|tőle|helyette):? \(?{PLAYER}",
        "the formal address": r"\b(Ön|Önnek|Önt|Önök\w*)\b",
    },
    "pl": {
        "a noun before a name": rf"\b[Gg]racz\w* {PLAYER}",
        "a name after a preposition": (
            rf"(?<!\w)([Oo]d|[Dd]o|[Nn]a|[Dd]la|[Zz]e?|[Uu]|[Pp]rzez|[Pp]rzed|[Oo]|[Ww]|[Pp]rzeciwko) {PLAYER}"
        ),
        "the object of a verb in the nominative": (
            rf"\b([Zz]agr(aj|ywa(sz)?)|[Oo]drzu(ca(sz)?|ć)|[Dd]obiera(sz)?|[Bb]ierze(sz)?|[Ww]eź|[Tt]racisz) {TERM}"
        ),
        "a Domain in the nominative": r"\b[Dd]omen(a|y|ie|ę|ą) \{domain\}",
        "the formal address": r"\b(Pan|Pana|Panu|Pani|Panią|Państw\w+)\b",
    },
}

#: By the term of the rulebook (docs/guide/names.md): other names for it.
TERMS = {
    "en": {
        "American spelling": r"(?i)colour|centre|civilis|favour|honour|neighbour|catalogue|grey\b|practise",
        "refill your hand": r"draw up to",
        "discard pile": r"graveyard|waste pile",
        "Age deck": r"draw pile|Epoch",
        "your turn": r"\bat turn",
        "spectators": r"onlooker|look(s|ing)? on\b",
        "undo": r"take back a (move|choice)",
    },
    "de": {
        "Ablagestapel": r"Ablegestapel|Abwurfstapel|Abwurfhaufen|Ablage\b",
        "Zeitalterstapel": r"Nachziehstapel|Ziehstapel|Kartendeck|\bDeck\b",
        "Zeitalter": r"Epoche|\bÄra\b",
        "Bereich": r"Domäne|Gebiet|\bDomain",
        "Vorherrschaft": r"Hegemonie",
        "Effekt": r"Fähigkeit|Eigenschaft",
        "Phase": r"\bSchritt [123]\b",
        "Nachziehlimit": r"Handkartenlimit|Handlimit|Handgröße",
        "Hinrichtung": r"Attentat|Exekution|Ermordung|Mordanschlag",
        "Angriff": r"Attacke",
        "Auslage": r"Spielbereich|Spielfläche",
        "Teammitglied": r"Teamkolleg|Teampartner|Mitstreiter",
        "Utopia": r"Utopie",
        "aus dem Ablagestapel": r"vom Ablagestapel",
        "Markierung": r"\bMarker\b",
        "Spielanleitung": r"Regelheft|Regelbuch|Anleitungsheft",
        "Wirtschaftskarte": r"\b[Kk]arten? (Militär|Religion|Wirtschaft|Wissenschaft|Kultur|Utopia|\{domain\})(?!\w)",
    },
    "el": {
        "Τέχνη": r"Κουλτούρ|Πολιτισμός",
        "παιχνίδι": r"παρτίδ",
        "κάρτα": r"φύλλα|φύλλο",
        "ιδιότητα": r"ικανότητ|δεξιότητ",
        "πόντος": r"(?<!\w)βαθμοί|(?<!\w)βαθμούς",
        "μπροστά σας": r"περιοχή παιχνιδιού|περιοχή σου",
        "σκάρτα": r"στοίβα απόρριψης|απορρίψεις|απορριφθ",
        "Κοινοβουλευτισμός": r"Ρεπούμπλικα|Αβασίλευτη",
        "συνέταιρος": r"συμπαίκτ",
        "1η Εποχή": r"Εποχής? [I1-3]",
    },
    "hu": {
        "döntetlen": r"holtverseny",
        "korok paklija": r"húzópakli|\btalon",
        "csapattag": r"csapattárs",
        "kor": r"[Kk]orszak",
        "terület": r"[Dd]omén|[Ss]zektor",
        "hatás": r"[Kk]épesség",
        "dobópakli": r"dobókupac|eldobott lapok paklija",
        "Katonaság": r"Hadsereg|Haderő",
        "Szentírás": r"Szent Könyv",
        "Isteni előjog": r"Isteni jog\b",
        "kezdőjátékos": r"[Ee]lső játékos",
        "lapra tölti fel a kezét": r"lapig húz",
        "jelző": r"[Jj]elölő",
        "szerver": r"[Kk]iszolgáló",
        "korbeli": r"\. kori\b",
    },
    "pl": {
        "Armia": r"Wojsk|Militari",
        "stos kart Epok": r"\btali[aięąo]|stos dobierania",
        "Epoka": r"\bEr[aęyą]\b",
        "Domena": r"[Dd]ziedzin",
        "efekt": r"[Uu]miejętnoś|[Zz]dolnoś",
        "wziąć z powrotem na rękę": r"[Cc]of\w+ na rękę",
        "stos kart odrzuconych": r"stos odrzutów|cmentarz|śmietnik",
        "limit kart na ręce": r"[Dd]obierz do \{hand|rozmiar ręki",
        "obszar gry": r"[Pp]ole gry|[Ss]tref[aęy] gry",
        "Pierwszy Gracz": r"[Gg]racz startowy",
        "członek zespołu": r"[Pp]artner",
    },
}


#: What a person types into a terminal, in a sentence about it: an option, a command, a name, a key such as ? or -.
TYPED = re.compile(
    r"--[a-z][\w-]*|pip install '[^']+'|\w+…/\d|(?<!\S)[.?]\w+|(?<!\S)[^\w\s\"'„“”«»…%]+(?=[\s,.;:)]|$)"
)


def without_input(sentence: str) -> str:
    """A sentence of the terminal without what is typed there."""
    return re.sub(r"[ \n]+", " ", TYPED.sub("X", sentence))


def faults(code: str, sentence: str) -> list[str]:
    """What is wrong with a sentence of a language."""
    found = [
        kind
        for rules in (IN_EVERY_LANGUAGE, TYPOGRAPHY.get(code, {}), GRAMMAR.get(code, {}))
        for kind, pattern in rules.items()
        if re.search(pattern, sentence)
    ]
    found += [
        f"not “{term}”" for term, pattern in TERMS.get(code, {}).items() if re.search(pattern, sentence)
    ]
    others = set("„“”‚‘«»‹›") - set(QUOTATION_MARKS.get(code, "„“”‚‘«»‹›"))
    return found + [f"the quotation mark {mark}" for mark in sorted(others & set(sentence))]
