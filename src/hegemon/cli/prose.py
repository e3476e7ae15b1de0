"""The sentences of the terminal; those that all interfaces share are in `hegemon.prose`.

Every sentence is here once and whole; what varies in it is a named field.
"""

from typing import Final

from hegemon.prose.english import EFFECT_NAMES
from hegemon.prose.translator import get_translator
from hegemon.rules.actions import PERMANENT_EFFECTS
from hegemon.rules.cards import Domain

ENGLISH: Final = get_translator("en")

#: Under a question that asks for several cards.
ONE_ORDER: Final = "Name them in the order M R E S C U: what you pass over stays where it is."

#: What a choice would do, in short; the keys are those of `hegemon.prose`.
SHORT_CHOICE_TEXTS: Final = {
    "play": "{card}: {count} of {needed}",
    "play.wins": "{card}: {count} of {needed}, Hegemony!",
    "keep": "{card}",
    "take-from-center": "{card}",
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
    **{f"{effect.name.lower()}.copied": f"{EFFECT_NAMES[effect]} (copied)" for effect in PERMANENT_EFFECTS},
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
    "unknown": "There is no choice, Domain or effect “{text}”. Type ? alone for help.",
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
[b]Answer[/b] by number, by choice or by name (purge); Enter gives the only answer.""",
)

COMMANDS: Final = {
    "? CHOICE": "explain a choice, an effect or a Domain: ? mE, ? purge, ? utopia",
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
    "center": "Center",
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
    "keys": "number or choice · ? help · u undo · d discard pile · log · q save and quit",
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
    "not-a-choice": "“{text}” is not one of the {number} answers. Type a number, a choice, or ? for help.",
    "not-a-choice.one": "“{text}” is not the answer: there is only one, “{choice}”. Press Enter to give it.",
    "not-now": "{choice} is not possible now: {reason}",
    "several": "“{text}” could be {choices}.",
    "undone": "You took back “{choice}”.",
    "undo.nothing": "You have not chosen anything yet.",
    "undo.offer": "Cards were shown or others have acted since you chose “{choice}”. Only bots are at this table: "
    "go back there all the same? [y/N] ",
    "undo.kept": "Nothing was taken back.",
    "rewound": "You went back to where you chose “{choice}”.",
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
    "replay.comment": "On choice {number}: {comment}",
    "replay.result": "That was the last choice.",
    "replay.unfinished": "The record ends here; the game goes on.",
    "watch.keys": "Ctrl-C stops",
    "watch.stopped": "Stopped after {number} choices.",
    "problems": "No game could show this position:",
    "serving": "Hegemon is at {address}\nCtrl-C stops.",
    "served": "Stopped. Every game is kept.",
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
    "bot-failed": "The bot {bot} of another package failed: {error}",
    "depth": "A depth is a whole number from 0 to {most}, not {depth}.",
    "delay": "A delay is 0 to 60 seconds, not {delay}.",
    "no-position": "A position was expected on the standard input, and there was none.",
    "mistake": "This is a mistake in hegemon, and not yours ({error}). With HEGEMON_TRACEBACK=1 it tells where.",
    "too-large": "{path} is too large for a record.",
    "no-server": "The page needs more than the library, and {parts} are missing: pip install 'hegemon[server]'",
    "port-in-use": "Port {port} of {host} is in use: stop what listens there, or name another with --port.",
    "port": "The server cannot listen at {host}, port {port}: {reason}.",
}

JOINING: Final = {
    "sits": "{name} sits on seat {seat} with {others}, at {address}",
    "waits": "The game begins when everybody has come.",
    "keys": "{bot} plays here · Ctrl-C leaves, and the seat stays",
    "taken-back": "That choice is taken back.",
    "said": "{name}: {sentence}",
    "another": "Waiting for somebody to ask for another game. Ctrl-C leaves.",
    "left": "Left. The seat stays, and nobody plays on it now. Come back with: {command}",
    "gone": "Left.",
    "lost": "The seat is no longer the bot’s: the host has given it to somebody else.",
    "no-seat": "That token holds no seat at this table, or no longer.",
    "no-token": "That is the page of a game, where anybody can look on. To sit down, an invitation is needed, or the "
    "token of a seat behind a # at its end.",
    "over": "That game is over already.",
    "host": "That is the host’s token, which holds no seat.",
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
    "played.one": "{games} games of 1 deal: {players} players, {variant}, rulings {rulings}, seed {seed}",
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

STUDY: Final = {
    "games": "A study takes 1 to {most} games of each kind, not {games}.",
    "strong-games": "The strong bot plays 0 to {most} games of each kind, not {games}.",
    "interrupted": "Interrupted. This is what the games say that are finished.",
    "nothing": "No game was finished.",
    "markdown": "The text is {path}",
    "no-matplotlib": "Plots need Matplotlib. Install it with: pip install 'hegemon[arena]'",
}


def domain_name(domain: int) -> str:
    return ENGLISH.domains[Domain(domain)]
