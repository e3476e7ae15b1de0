"""The rulings as players read them, in English: a question and its answer each, under the headings of docs/rulings.md.

They have catalogs of their own, in `locale/rulings`, because only one page shows them.
"""

from typing import Final, NamedTuple


class Ruling(NamedTuple):
    """What is asked, and how it is played here."""

    question: str
    answer: str


class Chapter(NamedTuple):
    """The rulings under one heading, each by its id."""

    heading: str
    rulings: dict[str, Ruling]


#: What the page itself says.
PAGE: Final = {
    "principles": "Four principles",
    "follow": "Most answers follow from these four.",
    "find": "Find a ruling",
    "found": "{number} of {total}",
    "none": "Nothing found.",
}

#: Most answers follow from these.
PRINCIPLES: Final = {
    "full": "First in full, then as far as possible: what an effect makes you give up is given in full; what "
    "follows is done as far as it can be.",
    "markers": "Face-down cards are markers: they belong to no Domain, count for nothing, and can neither be paid nor "
    "aimed at.",
    "events": "Effects are events: what an effect needs is checked when it is applied, and never again.",
    "must": "Who can, must: what an effect orders is done if it can be done.",
}

CHAPTERS: Final = {
    "setup": Chapter(
        "Setup",
        {
            "D52": Ruling(
                "Is the deck shuffled?",
                "Yes. Each Age is shuffled on its own; with two or three players three unseen cards of each then "
                "go to the box, and the Ages are stacked. Only the German rulebook mentions shuffling.",
            ),
            "D58": Ruling(
                "Who chooses between Basic and Draft?",
                "The table does, before the cards are dealt. Both can be played with any number of players.",
            ),
            "D59": Ruling(
                "Where do the three cards of Basic come from?",
                "From the top of the deck, like every card that is drawn.",
            ),
            "A10": Ruling(
                "In what order are cards dealt?",
                "In blocks, clockwise from the First Player: one player gets all their cards, then the next. With "
                "a shuffled deck it makes no difference.",
            ),
            "A11": Ruling(
                "Are the unseen cards removed before the Draft?",
                "Yes. The deck is finished first, then cards are dealt.",
            ),
            "A13": Ruling(
                "Does anyone get something for playing later?",
                "No. Later players pick first from the center in the Draft, and all have the same number of turns "
                "when the deck runs out; that is all.",
            ),
            "A14": Ruling("May one person play, or five?", "No, the game is for two, three or four players."),
        },
    ),
    "draft": Chapter(
        "Draft",
        {
            "D60": Ruling(
                "Are all three kept cards hidden?",
                "Yes, nobody else sees them until they are played. Most rulebooks leave it open for the third.",
            ),
            "D61": Ruling(
                "When do the kept cards become your hand?",
                "At the end of the Draft, after the last card has been taken from the center.",
            ),
            "D62": Ruling(
                "Where does the card from the center go?",
                "Face up into your play area, where it counts from then on.",
            ),
            "D63": Ruling(
                "From which cards is the third pick made?",
                "From the two you have just received. The other one goes to the center.",
            ),
            "A06": Ruling(
                "Do players pick one after the other?",
                "No, all at the same time and in secret. The packets move on when everyone has picked, and the "
                "center is revealed all at once.",
            ),
            "A07": Ruling("May you look at the cards you have kept?", "Yes, whenever you like."),
            "A08": Ruling(
                "Does taking a card from the center count as playing it?",
                "No. No effects can be used then, and your first turn still begins with playing a card.",
            ),
            "A09": Ruling(
                "What if two cards in the center are the same?",
                "They are one and the same choice: a pick names the Domain and the Age.",
            ),
        },
    ),
    "turn": Chapter(
        "The turn",
        {
            "D14": Ruling(
                "How many discard effects may you use in a turn?",
                "One for each Domain. The Polish rulebook contradicts itself here.",
            ),
            "D19": Ruling(
                "What if none of your hand cards can be played?",
                "Then step 1 is skipped by itself.",
            ),
            "D20": Ruling(
                "When must you have the cards for a permanent effect?",
                "Just before you apply it. The card you have just played counts, and cards lost later undo "
                "nothing.",
            ),
            "D21": Ruling("May you use both levels of a Domain in one turn?", "No, only one of the two."),
            "D27": Ruling(
                "Is the hand size a limit?",
                "No, it is the number you draw up to. You never discard down to it.",
            ),
            "D28": Ruling(
                "May you hold more cards than the hand size?",
                "Yes. In step 3 you then draw nothing and discard nothing.",
            ),
            "D65": Ruling(
                "What if an effect contradicts a basic rule?",
                "The effect wins. That is why more than one card may be played in a turn.",
            ),
            "D66": Ruling(
                "May you use several effects in step 2?",
                "Yes, in any order, but each is finished before the next begins.",
            ),
            "D67": Ruling(
                "Do Embargo and Democracy count as discard effects?",
                "Yes, although their card is moved and not discarded: each may be used once a turn.",
            ),
            "A15": Ruling(
                "What if your hand is empty in step 1?",
                "Step 1 is skipped. In a real game it never happens, as every turn begins with at least three "
                "hand cards.",
            ),
            "A16": Ruling("What can make a card unplayable?", "Only an Embargo on its Domain."),
            "A17": Ruling(
                "Can a skipped step 1 be made up for?",
                "No. Even if step 2 brings a playable card into your hand, step 1 is over.",
            ),
            "A18": Ruling(
                "May effects be used before playing or after drawing?",
                "No, only in step 2, between the two.",
            ),
            "A21": Ruling(
                "Does a card given up for Development, Monopoly or Attack start its own discard effect?",
                "No, and it does not use it up either. A discard effect is always a decision of its own.",
            ),
            "A22": Ruling(
                "You used level 1 and then reach level 2. May you use that too?",
                "No, there is one permanent effect for each Domain and turn.",
            ),
            "A23": Ruling(
                "Can other cards of the same Domain give its effect again?",
                "No. Once a turn means once for the Domain; it is free again when your next turn begins.",
            ),
            "A24": Ruling(
                "May you stop in the middle of an effect?",
                "No. An effect is offered only if you can pay for it, and then it is carried through. A choice "
                "can be undone as long as nothing hidden was shown and no other player was touched.",
            ),
            "A25": Ruling(
                "What does a player do who has no cards at all?",
                "Steps 1 and 2 bring nothing; the player draws in step 3, and the turn ends.",
            ),
            "A26": Ruling(
                "Does a card count that lies under another card or a marker?",
                "Yes. How cards lie never matters.",
            ),
        },
    ),
    "costs": Chapter(
        "Costs and partial effects",
        {
            "D31": Ruling(
                "Must the two cards of Monopoly or Research be of one Domain?",
                "No, any two cards will do.",
            ),
            "A19": Ruling(
                "Which card moves if you have several of one Domain?",
                "The oldest one, that is, the one of the lowest Age. The Age makes no difference to play, and so "
                "nobody is asked anything in another player's turn.",
            ),
            "A20": Ruling(
                "May you use an effect that can do nothing?",
                "A permanent effect is offered only if everything it asks for is there; those of Religion, with "
                "any hand while the deck lasts. A discard effect needs only its card and, for Attack, Embargo and "
                "Democracy, something to aim at.",
            ),
            "A27": Ruling(
                "Can Purge or Republic be done by half?",
                "No, Purge needs two hand cards and Republic two cards in the discard pile. Level 1 does the same "
                "with one card.",
            ),
            "A28": Ruling(
                "May Assassination be used with an empty hand, or Oligarchy with an empty discard pile?",
                "No, there would be nothing to discard or to take.",
            ),
            "A29": Ruling(
                "May you copy Monopoly or Research with only one card in play?",
                "No, both need two cards. You may copy level 1 instead.",
            ),
            "A30": Ruling(
                "What if you have too few cards to play for Development or Monopoly?",
                "You discard in full and play as many cards as you can, even none. A card that can be played must "
                "be played.",
            ),
            "A31": Ruling(
                "What if every card is under Embargo after Experiment or Research?",
                "You take your cards back and play none. A card that can be played must be played.",
            ),
            "A32": Ruling(
                "Must you take back a card that allows you to play one?",
                "No, the choice is free.",
            ),
            "A33": Ruling(
                "May Experiment play the very card it has taken back?",
                "Yes, it is a hand card like any other.",
            ),
            "A34": Ruling(
                "May Development play the very card it has discarded?",
                "No, that card lies in the discard pile.",
            ),
            "A35": Ruling(
                "Are two discards or two plays of one effect separate events?",
                "They are chosen one after the other with nothing in between, and their order never matters. So "
                "you are asked in one order only: Military, Religion, Economy, Science, Culture, Utopia.",
            ),
            "A36": Ruling(
                "What may Development discard?",
                "Any face-up card of yours, even the one just played, or an Economy card that the effect needs: "
                "that was checked before.",
            ),
            "A37": Ruling(
                "Can face-down cards be paid or taken back?",
                "No. A face-down card is only a marker: it belongs to no Domain, counts for nothing, and is "
                "neither payment nor target.",
            ),
        },
    ),
    "military": Chapter(
        "Military",
        {
            "D22": Ruling(
                "May Assassination or Purge be used more than once a turn?",
                "No, no permanent effect may. Only the Greek rulebook says so here.",
            ),
            "D23": Ruling(
                "Where do the other players discard from in an Attack?",
                "From their play areas; hands are safe. The Polish and Hungarian rulebooks do not say it.",
            ),
            "D24": Ruling(
                "Must the attacker lose a card of the Domain too?",
                "Yes. It comes on top of the Military card, and without it there is no Attack.",
            ),
            "D25": Ruling("What happens to players who have no card of that Domain?", "Nothing."),
            "A38": Ruling(
                "May you attack with one Military card and nothing else in play?",
                "No. After paying the Military card you must have a card left to discard.",
            ),
            "A39": Ruling(
                "Which Domains may an Attack name?",
                "Those of which you still have a face-up card after paying; for Military you need two Military "
                "cards. If only you have cards of that Domain, only you lose one.",
            ),
        },
    ),
    "religion": Chapter(
        "Religion",
        {
            "D26": Ruling(
                "When do Holy Book and Divine Right work?",
                "You apply them in step 2, and they hold for step 3 of the same turn.",
            ),
            "D29": Ruling(
                "Which cards may you give back in an Inquisition?",
                "Any cards of your enlarged hand, as many as you took.",
            ),
            "D30": Ruling("Whom may an Inquisition name?", "Any other player."),
            "A40": Ruling(
                "Do you still need the Religion cards when you draw?",
                "No. They are checked when you apply the effect, and cards lost afterwards change nothing. A "
                "table can choose otherwise: then Religion is neither applied nor copied, and the Religion cards "
                "you have when drawing decide.",
            ),
            "A41": Ruling(
                "Must you use Religion if you can?",
                "No, you may still draw up to three only. At a table where Religion is counted when drawing there "
                "is no such choice.",
            ),
            "A42": Ruling(
                "How long does the larger hand size last?",
                "For this turn only. It is five or seven and never adds up.",
            ),
            "A43": Ruling(
                "Do Holy Book and a copied Divine Right add up?",
                "No. There is one permanent effect of Religion a turn, your own or a copied one.",
            ),
            "A44": Ruling("May Religion be used when the deck is out?", "No, nothing would be drawn."),
            "A45": Ruling("May you name yourself for an Inquisition?", "No, it would do nothing."),
            "A46": Ruling(
                "May an Inquisition name a player without hand cards?",
                "Yes. The Religion card is paid, and no cards change hands.",
            ),
            "A47": Ruling("May an Inquisition name a teammate?", "Yes, a teammate is another player."),
        },
    ),
    "economy": Chapter(
        "Economy",
        {
            "D01": Ruling(
                "On whom may an Embargo be put?",
                "On any other player, teammates included. The English, Greek and Polish editions also allow it on "
                "yourself, if you have another card left to put it on.",
            ),
            "D13": Ruling(
                "Which card becomes the Embargo?",
                "An Economy card. The Hungarian rulebook first says only a card, and then an Economy card.",
            ),
            "D15": Ruling(
                "Must the Embargo be removed?",
                "Yes, it goes by itself. The Polish rulebook makes it sound like a choice.",
            ),
            "D16": Ruling("When is the Embargo removed?", "At the end of the turn it blocked, after step 3."),
            "D17": Ruling(
                "What exactly does an Embargo forbid?",
                "Playing any card of that Domain from hand in that turn, be it in step 1 or by an effect.",
            ),
            "D18": Ruling(
                "Does an Embargo lie on a card or on a Domain?",
                "On a player's Domain. There must be a face-up card when it is put there.",
            ),
            "A49": Ruling(
                "May an Embargo be put on a Domain without cards?",
                "No, it is put on a face-up card.",
            ),
            "A50": Ruling(
                "Which turn does an Embargo on yourself block?",
                "Not this one but your next; it goes at the end of that turn.",
            ),
            "A51": Ruling(
                "May a second Embargo be put on the same Domain?",
                "Yes. It adds nothing, and both go together.",
            ),
            "A52": Ruling(
                "What if several of your Domains are under Embargo?",
                "Then you may play no card of any of them.",
            ),
            "A53": Ruling(
                "Does an Embargo end when its Domain has no card left?",
                "No. The card is only a reminder; the ban is on the player and the Domain.",
            ),
            "A54": Ruling(
                "Does an Embargo also stop cards played by effects?",
                "Yes. Development, Monopoly, Experiment and Research play cards too.",
            ),
            "A55": Ruling(
                "Does an Embargo stop the effects of its Domain?",
                "No. You may use them, discard cards and take cards back; only playing is forbidden.",
            ),
            "A56": Ruling(
                "May a Democracy or another Embargo be put on a Domain under Embargo?",
                "Yes, that is not playing a card from hand.",
            ),
            "A57": Ruling(
                "Does a card lying as an Embargo count for anyone?",
                "No: for no effect, no majority and no tie-break.",
            ),
            "A58": Ruling(
                "What becomes of an Embargo that still lies there when the game ends?",
                "It stays and counts for nobody.",
            ),
            "A59": Ruling(
                "What comes first at the end of a turn, the end of an Embargo or Hegemony?",
                "The Embargo goes first. Nothing depends on it.",
            ),
            "A60": Ruling(
                "May the card under an Embargo be discarded or taken back?",
                "Yes. The Embargo stays with the Domain.",
            ),
            "A61": Ruling(
                "May an Embargo be put on a player who has no turn left?",
                "Yes, but it is of no use.",
            ),
            "A62": Ruling(
                "May Oligarchy or Republic take an Embargo that still lies there?",
                "No, it is not in the discard pile yet.",
            ),
        },
    ),
    "science": Chapter(
        "Science",
        {
            "D12": Ruling(
                "What does a Breakthrough cost?",
                "A Science card. In the Polish edition it may be a face-up card of any Domain but Culture; it "
                "counts as the discard effect of Science all the same.",
            ),
            "D33": Ruling(
                "What comes first in a Breakthrough, drawing or discarding?",
                "You draw all the cards first, then choose the discards from your whole hand.",
            ),
            "D34": Ruling(
                "What if fewer than five cards are left for a Breakthrough?",
                "You draw what is there and discard as many.",
            ),
            "A63": Ruling(
                "May a Breakthrough be used when the deck is out?",
                "Yes, but you draw none, discard none, and still lose the card.",
            ),
            "A64": Ruling(
                "What if a Breakthrough draws the last card?",
                "The turn goes on with other effects, step 3 draws nothing, and the round is played to its end.",
            ),
        },
    ),
    "utopia": Chapter(
        "Utopia",
        {
            "D02": Ruling(
                "On whom may a Democracy be put?",
                "On any other player, teammates included. The English and Greek editions also allow it on "
                "yourself; the Polish edition does not allow it on a teammate.",
            ),
            "D35": Ruling("May Oligarchy take any card of the discard pile?", "Yes, whichever you like."),
            "D36": Ruling(
                "Where does a Democracy lie?",
                "It marks a player's Domain. Whether it lies on, under or among the cards does not matter.",
            ),
            "D37": Ruling(
                "Do several Democracies in one Domain add up?",
                "Yes, any number of them; each adds one.",
            ),
            "D38": Ruling(
                "Which Utopia cards raise the number needed for Hegemony?",
                "Only face-down ones. Face-up Utopia cards are simply cards of Utopia.",
            ),
            "D39": Ruling(
                "May a Democracy be put into an empty Domain?",
                "No, at least one face-up card must be there.",
            ),
            "A66": Ruling(
                "Is there an order in the discard pile?",
                "No. All its cards are open, and any of them may be taken.",
            ),
            "A68": Ruling(
                "May anything happen between the two cards of Republic?",
                "No, they are taken together.",
            ),
            "A69": Ruling(
                "May Oligarchy take a card you have discarded this turn?",
                "Yes, it lies in the discard pile.",
            ),
            "A70": Ruling(
                "May a Democracy be put where only face-down cards lie?",
                "No, a face-up card is needed.",
            ),
            "A71": Ruling(
                "Does a Democracy go when its Domain is emptied?",
                "No. It stays to the end of the game and counts again when the Domain is filled again.",
            ),
            "A72": Ruling(
                "Does a Democracy count as a card of the Domain it lies in?",
                "No, or else it would cancel itself.",
            ),
            "A73": Ruling(
                "Does a Democracy count as a Utopia card?",
                "No, neither for the player it lies with nor for the one who put it there.",
            ),
            "A74": Ruling("May a Democracy be put into Utopia?", "Yes, into any Domain."),
            "A75": Ruling("May a Democracy be put on a teammate?", "Yes, except in the Polish edition."),
            "A76": Ruling(
                "What exactly does a Democracy raise?",
                "Only the number that this one player needs in this one Domain.",
            ),
        },
    ),
    "culture": Chapter(
        "Culture and the coin",
        {
            "D03": Ruling("Whose effect may Inspiration copy?", "That of another player."),
            "D04": Ruling(
                "May you copy an effect that you have yourself?",
                "No, use your own: it does the same. Each Domain gives you one permanent effect a turn, your own "
                "or a copied one.",
            ),
            "D05": Ruling(
                "You have level 1. May you copy another player's level 2?",
                "Yes. Your own level 1 is then closed for this turn.",
            ),
            "D06": Ruling(
                "How many effects may you copy in a turn?",
                "One. Inspiration is the permanent effect of Culture, and each Domain gives one.",
            ),
            "D07": Ruling(
                "Must the other player have the effect at that moment?",
                "Yes, with enough cards in play right then.",
            ),
            "D08": Ruling(
                "When does the coin leave?",
                "As soon as another player has as many Culture cards as you, or more; in the Polish edition it "
                "takes more. It goes back to the deck and does not return by itself.",
            ),
            "D09": Ruling(
                "Must the coin be moved in your next turn?",
                "No. It moves with your next Inspiration; without one it stays.",
            ),
            "D10": Ruling(
                "Where does the coin lie?",
                "By the Domain whose effect was copied. If several players have that effect, by the next of them "
                "clockwise.",
            ),
            "D11": Ruling(
                "What does leading in Culture mean?",
                "Having more Culture cards in play than each other player. A tie is not enough.",
            ),
            "A77": Ruling(
                "May you copy level 1 from a player who has level 2?",
                "Yes, that player has level 1 too.",
            ),
            "A78": Ruling(
                "Can Inspiration itself be copied?",
                "No. It has no level and belongs to whoever leads.",
            ),
            "A79": Ruling(
                "May you use your own effect and a copied one of the same Domain at different levels?",
                "No, there is one permanent effect for each Domain and turn, your own or a copied one.",
            ),
            "A80": Ruling(
                "You used your own effect and lost its cards. May you copy it now?",
                "No, it has been used this turn.",
            ),
            "A81": Ruling(
                "You copied an effect and then have it yourself. May you use it?",
                "No, it has been used this turn.",
            ),
            "A82": Ruling(
                "Must you keep the lead until the copied effect is done?",
                "No. It is checked when Inspiration is applied, and never again.",
            ),
            "A83": Ruling(
                "Must the other player keep the cards of the copied effect?",
                "No, not once it has been copied.",
            ),
            "A84": Ruling(
                "What does a copy use up?",
                "The permanent effects of both Culture and the copied Domain, for this turn.",
            ),
            "A85": Ruling(
                "Whose cards does a copied effect work on?",
                "On yours: your hand and your play area.",
            ),
            "A86": Ruling(
                "Where does the coin go when it leaves?",
                "Beside the deck, where it lay at the start.",
            ),
            "A87": Ruling("Does the coin itself do anything?", "No, it is only a reminder."),
            "A88": Ruling(
                "May you copy the same effect again in your next turn?",
                "Yes, and the coin stays where it is.",
            ),
            "A89": Ruling(
                "Does the coin leave when the copied player loses the effect?",
                "No, only the lead in Culture decides.",
            ),
            "A90": Ruling("Do face-down cards in Culture count for the lead?", "No."),
            "A91": Ruling("Is Inspiration different with two players?", "No. On a tie nobody has it."),
            "A92": Ruling(
                "How does Inspiration work in teams?",
                "As ever: you must lead over your teammate too, and you may copy a teammate's effect.",
            ),
        },
    ),
    "hegemony": Chapter(
        "Hegemony",
        {
            "D40": Ruling("Which cards count for Hegemony?", "Only face-up cards in your own play area."),
            "A93": Ruling(
                "Must it be exactly the number needed?",
                "No, at least that number. More cards win too.",
            ),
            "A94": Ruling(
                "Is Hegemony checked before or after drawing?",
                "After drawing. It makes no difference, as drawing puts nothing into play.",
            ),
            "A95": Ruling(
                "Is it enough to have had the number during the turn?",
                "No, only the end of your turn matters.",
            ),
            "A96": Ruling("What if you have the number in two Domains?", "It is one victory all the same."),
            "A97": Ruling("May you go on playing instead of winning?", "No, the game ends by itself."),
            "A98": Ruling(
                "What if you reach Hegemony in the turn that empties the deck?",
                "You win by Hegemony, at once.",
            ),
        },
    ),
    "majority": Chapter(
        "Majority",
        {
            "D41": Ruling(
                "Do you need majorities in more than half of the Domains?",
                "No, most points win, however few they are. The Polish wording can be read otherwise.",
            ),
            "D42": Ruling(
                "Does the game stop when the last card is drawn?",
                "Not at once: the turn and the round are finished first.",
            ),
            "D43": Ruling(
                "Who still plays after the last card has been drawn?",
                "Only those whose turn is still to come in this round, so that all have had the same number of "
                "turns.",
            ),
            "D44": Ruling("Who has the last turn?", "The player to the right of the First Player."),
            "D45": Ruling("Which cards count for majorities?", "Only face-up cards in the play areas."),
            "D46": Ruling(
                "With whom are you compared?",
                "With each other player separately, never with all of them together.",
            ),
            "D47": Ruling(
                "Who scores if a Domain is tied?",
                "Every tied leader scores a point, however many they are.",
            ),
            "D48": Ruling(
                "How is a tie on points broken?",
                "By most Utopia cards, then Culture, Science, Economy, Religion and Military, until one player is "
                "left.",
            ),
            "A99": Ruling(
                "Who scores a Domain in which nobody has a card?",
                "Nobody. It could never change who wins.",
            ),
            "A100": Ruling("What if everything is tied?", "All who are still tied share the victory."),
            "A101": Ruling(
                "May anyone who has fallen out of a tie-break come back at a later Domain?",
                "No.",
            ),
            "A102": Ruling(
                "What if the last player of the round draws the last card?",
                "The game ends with that turn, as all have had the same number of turns.",
            ),
            "A103": Ruling("What if there are too few cards to fill your hand?", "You draw what is there."),
            "A104": Ruling("What happens in step 3 when the deck is out?", "It is skipped."),
            "A105": Ruling("Do hand cards count at the end?", "No."),
        },
    ),
    "teams": Chapter(
        "The team game",
        {
            "D49": Ruling(
                "Who sits where?",
                "Teammates sit opposite each other, so that the teams take turns alternately.",
            ),
            "D50": Ruling(
                "Are the cards of teammates added up?",
                "Never, neither for points nor for Hegemony.",
            ),
            "D51": Ruling("Which team scores a Domain tied between the teams?", "Both."),
            "A12": Ruling(
                "Who begins in the team game?",
                "Any player, drawn by lot. Teammates sit opposite each other in any case.",
            ),
            "A106": Ruling(
                "Is a majority counted among all four or against the opponents?",
                "It comes to the same: a team scores if its better member has at least as many cards as the "
                "better opponent.",
            ),
            "A107": Ruling(
                "Do both teams score if their best players are tied?",
                "Yes, as in the printed example.",
            ),
            "A108": Ruling(
                "What if the teams are tied on points?",
                "The better member of each team is compared in Utopia, then in Culture, Science, Economy, "
                "Religion and Military. If all of that is tied, all four share the victory. No rulebook has a "
                "rule for it.",
            ),
            "A110": Ruling(
                "Is a teammate one of the other players?",
                "Yes, everywhere. An Attack, for one, hits your teammate too.",
            ),
        },
    ),
    "endless": Chapter(
        "Endless play",
        {
            "A111": Ruling(
                "What if nobody ever draws again?",
                "A house rule: after ten whole rounds in which nobody drew from the deck, the game ends and "
                "majorities are counted. Drawing by Breakthrough counts as drawing, and Hegemony comes first.",
            ),
            "A112": Ruling(
                "Can a player be unable to finish a turn?",
                "No. Step 1 is skipped if need be, and step 2 can always be ended.",
            ),
        },
    ),
    "hidden": Chapter(
        "Hidden information",
        {
            "D53": Ruling(
                "Do the backs show the Age?",
                "Yes, each Age has a back of its own, so the Age of a hidden card can be seen.",
            ),
            "D54": Ruling(
                "Does the deck lie face down?",
                "Yes. Only its size and the Age of its top card are known.",
            ),
            "D68": Ruling("Who may look through the discard pile?", "Everyone, at any time and in full."),
            "A01": Ruling("May anyone see the cards that were put into the box?", "No."),
            "A02": Ruling("May anyone look into the deck?", "No, only the discard pile is open."),
            "A03": Ruling(
                "Is it known how many cards are left in the deck?",
                "Yes, and so is the Age on top. How many cards of each Age are left follows from it.",
            ),
            "A04": Ruling(
                "May others see the Ages of your hand cards?",
                "Yes, the backs show them: a card of Age III is never Religion, and a card of Age I or II never "
                "Utopia. A table can choose to hide them.",
            ),
            "A05": Ruling(
                "What is known of your hand?",
                "How many cards it has. The cards themselves only you can see.",
            ),
            "A48": Ruling(
                "Who sees what in an Inquisition?",
                "Whoever sends it sees the whole hand taken; the other player knows what was lost and what came "
                "back. Everyone else sees only numbers and Ages, and the cards given back change hands all at "
                "once.",
            ),
            "A65": Ruling(
                "Must the cards drawn by a Breakthrough be shown?",
                "No, only the discards can be seen.",
            ),
            "A67": Ruling(
                "Are cards taken from the discard pile known?",
                "Yes, everyone knows such a card while it stays in that hand. The same goes for cards taken back "
                "from play.",
            ),
            "A109": Ruling(
                "May teammates show each other their hands?",
                "No. Hands are private, and talk is open to all.",
            ),
        },
    ),
}

#: Every sentence by its key: those of a ruling are `D01.question` and `D01.answer`.
SENTENCES: Final[dict[str, str]] = {
    **{f"page.{key}": sentence for key, sentence in PAGE.items()},
    **{f"principle.{key}": sentence for key, sentence in PRINCIPLES.items()},
    **{f"chapter.{key}": chapter.heading for key, chapter in CHAPTERS.items()},
    **{
        f"{name}.{part}": sentence
        for chapter in CHAPTERS.values()
        for name, ruling in chapter.rulings.items()
        for part, sentence in ruling._asdict().items()
    },
}
