"""What players read, in English: every sentence once and whole; what varies in it is filled in by name.

Nothing is glued together from pieces of sentences, so another language is another set of sentences under the same keys.
A key may have forms: `.you` where the reader is the one who acts, `.on-you` where the reader is the one it is done to,
`.one` where a number is one.
"""

from typing import Final

from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import Question

DOMAIN_NAMES: Final = {
    Domain.MILITARY: "Military",
    Domain.RELIGION: "Religion",
    Domain.ECONOMY: "Economy",
    Domain.SCIENCE: "Science",
    Domain.CULTURE: "Culture",
    Domain.UTOPIA: "Utopia",
}

EFFECT_NAMES: Final = {
    Effect.ASSASSINATION: "Assassination",
    Effect.PURGE: "Purge",
    Effect.HOLY_BOOK: "Holy Book",
    Effect.DIVINE_RIGHT: "Divine Right",
    Effect.DEVELOPMENT: "Development",
    Effect.MONOPOLY: "Monopoly",
    Effect.EXPERIMENT: "Experiment",
    Effect.RESEARCH: "Research",
    Effect.OLIGARCHY: "Oligarchy",
    Effect.REPUBLIC: "Republic",
    Effect.ATTACK: "Attack",
    Effect.INQUISITION: "Inquisition",
    Effect.EMBARGO: "Embargo",
    Effect.BREAKTHROUGH: "Breakthrough",
    Effect.DEMOCRACY: "Democracy",
    Effect.INSPIRATION: "Inspiration",
}

AGES: Final = ("", "I", "II", "III")

#: Things in a row: the last is joined by the first form, those before it by the second.
LISTS: Final = {"last": "{before} and {last}", "more": "{before}, {next}"}

CARDS: Final = {
    "card": "{domain} {age}",
    "back": "a card of Age {age}",
    "hidden": "a card",
    "none": "nothing",
}

# ------------------------------------------------------------------ what happened

EVENTS: Final = {
    "dealt": "The cards were dealt.",
    "dealt.you": "You were dealt {cards}.",
    "kept": "{name} kept a card.",
    "kept.open": "{name} kept {card}.",
    "kept.you": "You kept {card}.",
    "kept.several": "{names} kept a card each.",
    "passed": "Every packet went to the left.",
    "passed.you": "Every packet went to the left, and {cards} came to you.",
    "revealed": "The center was revealed: {cards}.",
    "took-from-center": "{name} took {card} from the center.",
    "took-from-center.you": "You took {card} from the center.",
    "turn-began": "Round {round}: {name} is at turn.",
    "turn-began.you": "Round {round}: it is your turn.",
    "skipped-play": "{name} could play no card, all being under Embargo.",
    "skipped-play.you": "You could play no card, all being under Embargo.",
    "played": "{name} played {cards}.",
    "played.you": "You played {cards}.",
    "used": "{name} used {effect}.",
    "used.you": "You used {effect}.",
    "copied": "{name} used {effect}, inspired by {other}.",
    "copied.you": "You used {effect}, inspired by {other}.",
    "copied.on-you": "{name} used {effect}, inspired by you.",
    "attack": "{name} attacked {domain}, paying {card}; nobody else had a card to lose.",
    "attack.you": "You attacked {domain}, paying {card}; nobody else had a card to lose.",
    "attack.hit": "{name} attacked {domain}, paying {card}; {losers} lost a card too.",
    "attack.hit.you": "You attacked {domain}, paying {card}; {losers} lost a card too.",
    "attack.hit.on-you": "{name} attacked {domain}, paying {card}; you lost {lost}.",
    "attack.hit.on-you-and-more": "{name} attacked {domain}, paying {card}; you lost {lost}, and {losers} a card too.",
    "inquisition": "{name} sent the Inquisition to {other}, paying {card}, and took {number} cards.",
    "inquisition.one": "{name} sent the Inquisition to {other}, paying {card}, and took a card.",
    "inquisition.you": "You sent the Inquisition to {other}, paying {card}, and took {cards}.",
    "inquisition.on-you": "{name} sent the Inquisition to you, paying {card}, and took {cards}.",
    "gave-back": "{name} gave {number} cards back to {other}.",
    "gave-back.one": "{name} gave a card back to {other}.",
    "gave-back.you": "You gave {cards} back to {other}.",
    "gave-back.on-you": "{name} gave {cards} back to you.",
    "breakthrough": "{name} made a Breakthrough, paying {card}.",
    "breakthrough.you": "You made a Breakthrough, paying {card}.",
    "aimed-embargo": "{name} aimed an Embargo at {other}.",
    "aimed-embargo.you": "You aimed an Embargo at {other}.",
    "aimed-embargo.on-you": "{name} aimed an Embargo at you.",
    "aimed-embargo.self": "{name} prepared an Embargo at home.",
    "aimed-embargo.self.you": "You prepared an Embargo at home.",
    "put-embargo": "{name} put an Embargo on the {domain} of {other}.",
    "put-embargo.you": "You put an Embargo on the {domain} of {other}.",
    "put-embargo.on-you": "{name} put an Embargo on your {domain}.",
    "put-embargo.self": "{name} put an Embargo on {domain} at home; it binds the next turn.",
    "put-embargo.self.you": "You put an Embargo on your own {domain}; it binds your next turn.",
    "aimed-democracy": "{name} aimed a Democracy at {other}.",
    "aimed-democracy.you": "You aimed a Democracy at {other}.",
    "aimed-democracy.on-you": "{name} aimed a Democracy at you.",
    "aimed-democracy.self": "{name} prepared a Democracy at home.",
    "aimed-democracy.self.you": "You prepared a Democracy at home.",
    "put-democracy": "{name} put a Democracy into the {domain} of {other}: one more card to Hegemony there.",
    "put-democracy.you": "You put a Democracy into the {domain} of {other}: one more card to Hegemony there.",
    "put-democracy.on-you": "{name} put a Democracy into your {domain}: one more card to Hegemony there.",
    "put-democracy.self": "{name} put a Democracy into {domain} at home: one more card to Hegemony there.",
    "put-democracy.self.you": "You put a Democracy into your own {domain}: one more card to Hegemony there.",
    "discarded-from-hand": "{name} discarded {cards} from hand.",
    "discarded-from-hand.you": "You discarded {cards} from your hand.",
    "discarded-from-area": "{name} discarded {cards} from play.",
    "discarded-from-area.you": "You discarded {cards} from play.",
    "took-back": "{name} took {cards} back to hand.",
    "took-back.you": "You took {cards} back to your hand.",
    "fetched": "{name} took {cards} from the discard pile.",
    "fetched.you": "You took {cards} from the discard pile.",
    "drew": "{name} drew {number} cards.",
    "drew.one": "{name} drew a card.",
    "drew.open": "{name} drew {cards}.",
    "drew.you": "You drew {cards}.",
    "embargo-lifted": "The Embargo on the {domain} of {name} is over.",
    "embargo-lifted.you": "The Embargo on your {domain} is over.",
    "coin-moved": "{name} put the coin by the {domain} of {other}.",
    "coin-moved.you": "You put the coin by the {domain} of {other}.",
    "coin-moved.on-you": "{name} put the coin by your {domain}.",
    "coin-returned": "{name} no longer leads in Culture, and the coin went back to the deck.",
    "coin-returned.you": "You no longer lead in Culture, and the coin went back to the deck.",
    "deck-ran-out": "{name} drew the last card of the deck: this is the last round.",
    "deck-ran-out.you": "You drew the last card of the deck: this is the last round.",
    "hegemony": "{winners} won by Hegemony in {domain}.",
    "hegemony.you": "You won by Hegemony in {domain}!",
    "hegemony.team": "{winners} won as a team, by Hegemony in {domain}.",
    "majority": "The deck is out and the round is over: {winners} won by Majority.",
    "majority.you": "The deck is out and the round is over: you won by Majority!",
    "majority.team": "The deck is out and the round is over: {winners} won as a team, by Majority.",
    "majority.shared": "The deck is out and the round is over: {winners} share the victory.",
    "stall": "Nobody drew for too many rounds, so majorities were scored: {winners} won.",
    "stall.you": "Nobody drew for too many rounds, so majorities were scored: you won!",
    "stall.team": "Nobody drew for too many rounds, so majorities were scored: {winners} won as a team.",
    "stall.shared": "Nobody drew for too many rounds, so majorities were scored: {winners} share the victory.",
}

#: The reader in a list of players.
YOU: Final = "you"

# ------------------------------------------------------------------ what is asked

QUESTIONS: Final = {
    Question.DRAFT: "Draft: keep one card of your packet; the rest goes to the left.",
    Question.CENTER: "Draft: take one card from the center into your play area.",
    Question.PLAY: "Step 1: play a card from your hand.",
    Question.EFFECTS: "Step 2: use an effect, or end your turn.",
    Question.DISCARD_FROM_HAND: "Choose a card to discard from your hand; {left} to go.",
    Question.DISCARD_FROM_AREA: "Choose a card to discard from your play area; {left} to go.",
    Question.TAKE_BACK: "Choose a card of your play area to take back to your hand; {left} to go.",
    Question.PLAY_MORE: "Choose a card to play from your hand; {left} to go.",
    Question.FETCH: "Choose a card to take from the discard pile; {left} to go.",
    Question.GIVE: "Choose a card to give to {target}; {left} to go.",
    Question.EMBARGO: "Choose the Domain of {target} that the Embargo goes on.",
    Question.DEMOCRACY: "Choose the Domain of {target} that the Democracy goes into.",
    Question.OVER: "The game is over.",
}

QUESTIONS_TO_OTHERS: Final = {
    Question.DRAFT: "Draft: waiting for {name} to keep a card.",
    Question.CENTER: "Draft: {name} is to take a card from the center.",
    Question.PLAY: "Step 1: {name} is to play a card.",
    Question.EFFECTS: "Step 2: {name} may use effects.",
    Question.DISCARD_FROM_HAND: "{name} is to discard from hand; {left} to go.",
    Question.DISCARD_FROM_AREA: "{name} is to discard from play; {left} to go.",
    Question.TAKE_BACK: "{name} is to take cards back to hand; {left} to go.",
    Question.PLAY_MORE: "{name} is to play from hand; {left} to go.",
    Question.FETCH: "{name} is to take cards from the discard pile; {left} to go.",
    Question.GIVE: "{name} is to give cards to {target}; {left} to go.",
    Question.EMBARGO: "{name} is to choose the Domain of {target} that the Embargo goes on.",
    Question.DEMOCRACY: "{name} is to choose the Domain of {target} that the Democracy goes into.",
    Question.OVER: "The game is over.",
}

# ------------------------------------------------------------------ what a word means

CHOICE_TEXTS: Final = {
    "play": "Play {card}: {count} of the {needed} for Hegemony",
    "play.wins": "Play {card}: {count} of {needed}, Hegemony at the end of your turn!",
    "keep": "Keep {card}",
    "take-from-center": "Take {card} into your play area",
    "discard-from-hand": "Discard {card} from your hand",
    "discard-from-area": "Discard {card}; {count} {domain} left in play",
    "take-back": "Take {card} back to your hand; {count} {domain} left in play",
    "fetch": "Take {card} from the discard pile",
    "give": "Give {card} to {target}",
    "embargo-domain": "Put the Embargo on {domain}: {target} has {count} there",
    "democracy-domain": "Put the Democracy into {domain}: {target} has {count} of {needed}",
    "assassination": "Assassination: discard 1 card from your hand",
    "purge": "Purge: discard 2 cards from your hand",
    "holy_book": "Holy Book: draw up to {hand} cards this turn",
    "divine_right": "Divine Right: draw up to {hand} cards this turn",
    "development": "Development: discard 1 card from play, then play 1",
    "monopoly": "Monopoly: discard 2 cards from play, then play 2",
    "experiment": "Experiment: take 1 card from play to your hand, then play 1",
    "research": "Research: take 2 cards from play to your hand, then play 2",
    "oligarchy": "Oligarchy: take 1 card from the discard pile",
    "republic": "Republic: take 2 cards from the discard pile",
    "assassination.copied": "Assassination, like {other}: discard 1 card from your hand",
    "purge.copied": "Purge, like {other}: discard 2 cards from your hand",
    "holy_book.copied": "Holy Book, like {other}: draw up to {hand} cards this turn",
    "divine_right.copied": "Divine Right, like {other}: draw up to {hand} cards this turn",
    "development.copied": "Development, like {other}: discard 1 card from play, then play 1",
    "monopoly.copied": "Monopoly, like {other}: discard 2 cards from play, then play 2",
    "experiment.copied": "Experiment, like {other}: take 1 card from play to hand, then play 1",
    "research.copied": "Research, like {other}: take 2 cards from play to hand, then play 2",
    "oligarchy.copied": "Oligarchy, like {other}: take 1 card from the discard pile",
    "republic.copied": "Republic, like {other}: take 2 cards from the discard pile",
    "attack": "Attack {domain}, paying Military: only you lose one",
    "attack.hit": "Attack {domain}, paying Military: {everybody} lose one",
    "attack.hit.all": "Attack {domain}, paying Military: everybody loses one",
    "inquisition": "Inquisition, paying Religion: swap {number} cards with {other} as you like",
    "inquisition.one": "Inquisition, paying Religion: swap a card with {other} if you like",
    "embargo": "Embargo, paying Economy: {other} cannot play one Domain next turn",
    "embargo.self": "Embargo, paying Economy: you cannot play one Domain in your next turn",
    "democracy": "Democracy, paying Utopia: {other} needs one more in one Domain",
    "democracy.self": "Democracy, paying Utopia: you need one more in one Domain",
    "breakthrough": "Breakthrough, paying {domain}: draw {number} cards, discard as many",
    "breakthrough.one": "Breakthrough, paying {domain}: draw a card, discard one",
    "breakthrough.empty": "Breakthrough, paying {domain}: the deck is out, so nothing is drawn",
    "end": "End your turn: draw {number} cards",
    "end.one": "End your turn: draw a card",
    "end.none": "End your turn: no card to draw",
    "end.wins": "End your turn and win by Hegemony in {domain}!",
}

# ------------------------------------------------------------------ explanations

#: What the reference board says: `first` and `second` are the cards needed for level 1 and level 2.
EXPLANATIONS: Final = {
    Effect.ASSASSINATION: "Military with {first} cards in play: discard 1 card from your own hand. A short hand draws "
    "more, and Utopia can fetch what you discard.",
    Effect.PURGE: "Military with {second} cards in play: discard 2 cards from your own hand.",
    Effect.HOLY_BOOK: "Religion with {first} cards in play: draw up to {hand_first} cards this turn.",
    Effect.DIVINE_RIGHT: "Religion with {second} cards in play: draw up to {hand_second} cards this turn.",
    Effect.DEVELOPMENT: "Economy with {first} cards in play: discard 1 card from play, then play 1 from hand.",
    Effect.MONOPOLY: "Economy with {second} cards in play: discard 2 cards from play, then play 2 from hand.",
    Effect.EXPERIMENT: "Science with {first} cards in play: take 1 card from your play area to hand, then play 1.",
    Effect.RESEARCH: "Science with {second} cards in play: take 2 cards from your play area to hand, then play 2.",
    Effect.OLIGARCHY: "Utopia with {first} cards in play: take 1 card of your choice from the discard pile.",
    Effect.REPUBLIC: "Utopia with {second} cards in play: take 2 cards of your choice from the discard pile.",
    Effect.ATTACK: "Discard a Military card from play and name a Domain of which you still have a card there. You lose "
    "one card of it, and so does everybody else who has one in play.",
    Effect.INQUISITION: "Discard a Religion card from play and choose another player. Take that whole hand, then give "
    "the same number of cards back, whichever you like.",
    Effect.EMBARGO: "Put an Economy card from play, face down, on a column of another player. In the next turn "
    "that player may not play cards of that Domain.",
    Effect.BREAKTHROUGH: "Discard a Science card from play, draw {breakthrough} cards, then discard as many as you "
    "drew from your whole hand.",
    Effect.DEMOCRACY: "Put a Utopia card from play, face down, into a column of another player. To the end of the game "
    "Hegemony there takes one card more.",
    Effect.INSPIRATION: "While you have more Culture cards in play than each other player, you may once a turn use a "
    "permanent effect that another player has. The coin remembers whose it was.",
}
