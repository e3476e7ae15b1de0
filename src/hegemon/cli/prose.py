"""Everything the terminal says, in English.

Every sentence stands here once and whole; what varies in it is filled in by name. Nothing is glued together from pieces
of sentences, so another language is another file like this one. A key may have forms: `.you` where the reader is the
one who acts, `.on-you` where the reader is the one it is done to, `.one` where a number is one.
"""

from collections.abc import Sequence
from typing import Final

from hegemon.rules.cards import LETTERS, Domain
from hegemon.rules.effects.board import Effect
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
    "revealed": "The centre was revealed: {cards}.",
    "took-from-centre": "{name} took {card} from the centre.",
    "took-from-centre.you": "You took {card} from the centre.",
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
    Question.CENTRE: "Draft: take one card from the centre into your play area.",
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

#: Under a question that asks for several cards.
ONE_ORDER: Final = "Name them in the order M R E S C U: what you pass over stays where it is."

QUESTIONS_TO_OTHERS: Final = {
    Question.DRAFT: "Draft: {name} is to keep a card.",
    Question.CENTRE: "Draft: {name} is to take a card from the centre.",
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

MEANINGS: Final = {
    "play": "Play {card}: {count} of the {needed} for Hegemony",
    "play.wins": "Play {card}: {count} of {needed}, Hegemony at the end of your turn!",
    "keep": "Keep {card}",
    "take-from-centre": "Take {card} into your play area",
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
    "attack.hit.one": "Attack {domain}, paying Military: {everybody} lose one",
    "attack.hit.all": "Attack {domain}, paying Military: everybody loses one",
    "inquisition": "Inquisition, paying Religion: swap {number} cards with {other} as you like",
    "inquisition.one": "Inquisition, paying Religion: swap a card with {other} if you like",
    "embargo": "Embargo, paying Economy: {other} cannot play one Domain next turn",
    "embargo.self": "Embargo, paying Economy: you cannot play one Domain in your next turn",
    "democracy": "Democracy, paying Utopia: {other} needs one more in one Domain",
    "democracy.self": "Democracy, paying Utopia: you need one more in one Domain",
    "breakthrough": "Breakthrough, paying {domain}: draw {number} cards, discard as many",
    "breakthrough.empty": "Breakthrough, paying {domain}: the deck is out, so nothing is drawn",
    "end": "End your turn: draw {number} cards",
    "end.one": "End your turn: draw a card",
    "end.none": "End your turn: no card to draw",
    "end.wins": "End your turn and win by Hegemony in {domain}!",
}

#: The same in a few words, for small screens.
SHORT_MEANINGS: Final = {
    "play": "{card}: {count} of {needed}",
    "play.wins": "{card}: {count} of {needed}, Hegemony!",
    "keep": "{card}",
    "take-from-centre": "{card}",
    "discard-from-hand": "{card}",
    "discard-from-area": "{card}; {count} left",
    "take-back": "{card}; {count} left",
    "fetch": "{card}",
    "give": "{card}",
    "embargo-domain": "{domain}",
    "democracy-domain": "{domain}: {count} of {needed}",
    "assassination": "Assassination: discard 1",
    "purge": "Purge: discard 2",
    "holy_book": "Holy Book: draw up to {hand}",
    "divine_right": "Divine Right: draw up to {hand}",
    "development": "Development: replace 1",
    "monopoly": "Monopoly: replace 2",
    "experiment": "Experiment: 1 to hand, play 1",
    "research": "Research: 2 to hand, play 2",
    "oligarchy": "Oligarchy: 1 from the pile",
    "republic": "Republic: 2 from the pile",
    "assassination.copied": "Assassination (copied)",
    "purge.copied": "Purge (copied)",
    "holy_book.copied": "Holy Book (copied)",
    "divine_right.copied": "Divine Right (copied)",
    "development.copied": "Development (copied)",
    "monopoly.copied": "Monopoly (copied)",
    "experiment.copied": "Experiment (copied)",
    "research.copied": "Research (copied)",
    "oligarchy.copied": "Oligarchy (copied)",
    "republic.copied": "Republic (copied)",
    "attack": "Attack {domain}",
    "attack.hit": "Attack {domain}: hits {number}",
    "attack.hit.one": "Attack {domain}: hits {others}",
    "attack.hit.all": "Attack {domain}: hits all",
    "inquisition": "Inquisition of {other}",
    "inquisition.one": "Inquisition of {other}",
    "embargo": "Embargo on {other}",
    "embargo.self": "Embargo on yourself",
    "democracy": "Democracy on {other}",
    "democracy.self": "Democracy on yourself",
    "breakthrough": "Breakthrough ({domain})",
    "breakthrough.empty": "Breakthrough ({domain})",
    "end": "End your turn: draw {number}",
    "end.one": "End your turn: draw 1",
    "end.none": "End your turn",
    "end.wins": "End your turn and win!",
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

DOMAINS_EXPLAINED: Final = {
    Domain.MILITARY: "Military: Assassination with {first} cards, Purge with {second}; discard effect Attack.",
    Domain.RELIGION: "Religion: Holy Book with {first} cards, Divine Right with {second}; discard effect Inquisition.",
    Domain.ECONOMY: "Economy: Development with {first} cards, Monopoly with {second}; discard effect Embargo.",
    Domain.SCIENCE: "Science: Experiment with {first} cards, Research with {second}; discard effect Breakthrough.",
    Domain.CULTURE: "Culture: Inspiration with more cards than each other player; no discard effect.",
    Domain.UTOPIA: "Utopia: Oligarchy with {first} cards, Republic with {second}; discard effect Democracy.",
}

EXPLAINING: Final = {
    "effect": "{effect}. {explanation}",
    "end": "End of step 2: you draw up to your hand size, and your turn is over. With enough cards of one Domain "
    "in play, you win.",
    "draft": "In the draft a card is named by its Domain and its Age.",
    "open": "You may choose it now.",
    "closed": "Not now: {reason}",
    "unknown": "There is no word, Domain or effect “{text}”. Type ? alone for help.",
}

#: Help, a paragraph each; square brackets are the printer's marks.
HELP: Final = (
    """\
[b]Goal:[/b] {needed} cards of one Domain in play at the end of your turn are Hegemony. If the deck runs out first, \
whoever leads in most Domains wins by Majority.""",
    """\
[b]Turn:[/b] 1 play a card; 2 use effects in any order, each Domain’s permanent and discard effect once; 3 draw up to \
{hand} cards.""",
    """\
[b]Table:[/b] a digit is a card in play, by its Age; a dot is missing to Hegemony; {star} leads in the Domain. On a \
column may lie e an Embargo, u a Democracy, c the coin.""",
    """\
[b]Answer[/b] by number, by word or by name (purge); Enter gives the only answer.""",
)

COMMANDS: Final = {
    "? WORD": "explain a word, an effect or a Domain: ? mE, ? purge, ? utopia",
    "u": "take your last choice back",
    "d": "look through the discard pile",
    "log": "everything that has happened",
    "table": "draw the table again",
    "q": "save the game and quit; so does Ctrl-C",
}

BOARD: Final = {
    "domain": "Domain",
    "first": "{first} cards",
    "second": "{second} cards",
    "discard": "for one card",
    "inspiration": "Inspiration (most cards)",
    "no discard effect": "–",
}

# ------------------------------------------------------------------ the screen

SCREEN: Final = {
    "title": "Hegemon",
    "draft": "draft",
    "round": "round {round}",
    "your turn": "your turn",
    "turn": "{name} is at turn",
    "over": "the game is over",
    "deck": "Deck {total}: {ages}",
    "deck out": "Deck out: last round",
    "pile": "Discard pile {total}",
    "pile empty": "Discard pile empty",
    "hand": "hand",
    "packet": "packet",
    "kept": "kept",
    "your hand": "Your hand",
    "your packet": "Your packet",
    "you kept": "You kept",
    "centre": "Centre",
    "empty": "empty",
    "points": "{points} points",
    "points.one": "1 point",
    "points.short": "{star} {points}",
    "team.points": "team {team}: {points} points",
    "team.points.one": "team {team}: 1 point",
    "team.points.short": "team {team}: {star} {points}",
    "you": "you",
    "majority": "Majority now: {scores}.",
    "majority.none": "Majority now: nobody leads yet.",
    "majority.tie": "Majority now: {scores}; the tie goes to {winner}.",
    "majority.shared": "Majority now: {scores}; a full tie.",
    "majority.score": "{points} for {name}",
    "embargo": "Embargo on the {domain} of {name}: not to be played in that turn.",
    "embargo.you": "Embargo on your {domain}: not to be played in your turn.",
    "embargo.next": "Your own Embargo on {domain} binds your next turn.",
    "democracy": "Democracy in the {domain} of {name}: Hegemony there takes {needed}.",
    "democracy.you": "Democracy in your {domain}: Hegemony there takes {needed}.",
    "coin": "The coin lies by the {domain} of {other}, copied by {name}.",
    "coin.you": "The coin lies by the {domain} of {other}, copied by you.",
    "coin.on-you": "The coin lies by your {domain}, copied by {name}.",
    "quiet": "Nobody has drawn for {rounds} rounds; after {most} the game ends.",
    "seat": "Seat {seat}",
    "choices": "Choices: {choices}",
    "prompt": "> ",
    "keys": "number or word · ? help · u undo · d discard pile · log · q save and quit",
    "earlier": "Earlier turns are in the log ({number} more sentences).",
    "pile.title": "The discard pile, {total} cards",
    "pile.title.one": "The discard pile, 1 card",
    "pile.none": "The discard pile is empty.",
}

RULINGS: Final = {
    "switch": "Switch",
    "on": "on",
    "off": "off",
    "usage": "Name a preset and change it by switches: --rulings pl, or --rulings standard+embargo-self!coin-tie",
}

# ------------------------------------------------------------------ messages

MESSAGES: Final = {
    "welcome": "You sit on seat {seat}, against {bots}. Type ? for help.",
    "welcome.bot": "{name} ({kind})",
    "thinking": "The others are thinking",
    "not-a-choice": "“{text}” is not one of the {number} answers. Type a number, a word, or ? for help.",
    "not-a-choice.one": "“{text}” is not the answer: there is only one, “{word}”. Press Enter to give it.",
    "not-now": "{word} is not possible now: {reason}",
    "several": "“{text}” could be {words}.",
    "undone": "You took back “{word}”.",
    "undo.nothing": "You have not chosen anything yet.",
    "undo.offer": "Cards were shown or others have acted since you chose “{word}”. Only bots are at this table: "
    "go back there all the same? [y/N] ",
    "undo.kept": "Nothing was taken back.",
    "rewound": "You went back to where you chose “{word}”.",
    "nothing-saved": "Nothing was played, so nothing was saved.",
    "saved": "Saved: {path}",
    "saved.elsewhere": "Saved: {path}\nThe usual folder would not do: {reason}",
    "resume": "Go on with: {command} play --resume{file}",
    "spoiler": "(The file holds the whole deck; whoever reads it knows what comes.)",
    "replay": "Look at it again with: {command} replay {file}",
    "interrupted": "Interrupted.",
    "replay.keys": "Choice {number} of {total} · Enter next · t turn · b back · a number · e end · q quit",
    "replay.open": "This game is not over, and here all hands lie open. With --seat N you see only what that seat saw.",
    "replay.lost": "There are {total} choices: type a number from 0 to {total}.",
    "replay.result": "That was the last choice.",
    "replay.unfinished": "The record ends here; the game goes on.",
    "watch.keys": "Ctrl-C stops",
    "watch.stopped": "Stopped after {number} choices.",
    "problems": "No game could show this position:",
}

ERRORS: Final = {
    "help": "See: {command} --help",
    "missing-file": "There is no file {path}.",
    "folder": "{path} is a folder; name a file in it.",
    "not-a-folder": "{path} cannot be reached: part of that path is a file, not a folder.",
    "forbidden": "{path} may not be read or written by you: change its permissions, or name another place.",
    "full": "The disk is full, so {path} was not written: make room and try again.",
    "os": "{path}: {reason}.",
    "no-home": "There is no home folder to save in: set XDG_DATA_HOME to a folder of yours.",
    "not-text": "{path} is no text file in UTF-8, so it is no record.",
    "record": "{path} is no record that can be read. {problem}",
    "nothing-to-resume": "There is no unfinished game in {folder}. Begin one with: hegemon play",
    "resume-finished": "That game is over. Look at it with: hegemon replay {path}",
    "resume-who": "The record does not tell which seat is yours: say it with --seat (1 to {players}).",
    "resume-seat": "Seat {seat} of that game is a bot’s; leave --seat out, or name a person’s seat.",
    "file-without-resume": "To go on with a saved game, say: hegemon play --resume {path}",
    "resume-options": "A game that goes on is as it was begun: leave {option} out.",
    "seat": "A seat is a number from 1 to {players}, or random, not {seat}.",
    "name": "A name has 1 to {most} letters, and does not end like a bot’s.",
    "bots": "{number} bots are needed at this table, and {named} are named.",
    "depth": "A depth is a whole number from 0 to {most}, not {depth}.",
    "delay": "A delay is 0 to 60 seconds, not {delay}.",
    "no-position": "A position was expected on the standard input, and there was none.",
    "mistake": "This is a mistake in hegemon, and not yours ({error}). With HEGEMON_TRACEBACK=1 it tells where.",
    "too-large": "{path} is too large for a record.",
}

ARENA: Final = {
    "playing": "playing",
    "left": "{time} left",
    "games": "A tournament has 1 to {most} games, not {games}.",
    "jobs": "The work is done by 1 job or more, not {jobs}.",
    "goes-on": "Going on with a run that was not finished: {games} of {all} games are here already.",
    "interrupted": "Interrupted after {games} of {all} games. The same command goes on from there.",
    "report": "The report is {path}",
    "no-folder": "{path} cannot be written: there is no folder {folder}.",
    "folder": "{path} is a folder; name a file in it.",
    "no-matplotlib": "A report needs Matplotlib. Install it with: pip install 'hegemon[arena]'",
    "no-dask": "A cluster needs Dask. Install it with: pip install 'hegemon[arena]'",
    "no-cluster": "There is no Dask scheduler at {address} ({reason}). It is started with: dask scheduler",
    "no-address": "an address looks like tcp://10.0.0.5:8786",
    "played": "{games} games of {deals} deals: {players} players, {variant}, rulings {rulings}, seed {seed}",
    "col.games": "games",
    "col.wins": "wins",
    "col.rate": "win rate",
    "col.interval": "95 % interval",
    "col.rating": "rating",
    "col.part": "part",
    "col.mean": "mean",
    "col.least": "least",
    "col.median": "median",
    "col.most": "most",
    "col.decisions": "decisions",
    "col.slowest": "slowest",
    "beats": "beats",
    "seats": "seat",
    "seat": "seat {seat}",
    "endings": "how games end",
    "length": "length",
    "rounds": "rounds",
    "choices": "choices",
    "effects": "effects a game",
    "thinking": "thinking",
}


# ------------------------------------------------------------------ cards and lists


def domain_name(domain: int) -> str:
    """A Domain by name."""
    return DOMAIN_NAMES[Domain(domain)]


def card_name(card: str) -> str:
    """A card of an event, such as `M1` or `?2`, as a sentence names it."""
    if card == "?":
        return CARDS["hidden"]
    age = AGES[int(card[1])]
    if card[0] == "?":
        return CARDS["back"].format(age=age)
    return CARDS["card"].format(domain=domain_name(LETTERS.index(card[0])), age=age)


def listing(items: Sequence[str]) -> str:
    """Several things in a row, as a sentence names them."""
    if not items:
        return CARDS["none"]
    row = items[0]
    for item in items[1:-1]:
        row = LISTS["more"].format(before=row, next=item)
    return LISTS["last"].format(before=row, last=items[-1]) if len(items) > 1 else row


def card_list(cards: Sequence[str]) -> str:
    """Several cards in a row."""
    return listing([card_name(card) for card in cards])
