// Remote players at boardgame.io's tables: every table makes one move per second. Prints the delays until the other
// players have received each move, as a line of JSON, and before that a line when it begins to measure.
import client from "boardgame.io/dist/cjs/client.js";
import multiplayer from "boardgame.io/dist/cjs/multiplayer.js";
import { CardGame } from "./game.js";

const { Client, LobbyClient } = client;
const { SocketIO } = multiplayer;
const [, , server, tables, seats, seconds] = process.argv;
const now = () => performance.now();
const lobby = new LobbyClient({ server });
const delays = [];
let measuring = false;
let moves = 0;

async function sit(number) {
  const { matchID } = await lobby.createMatch(CardGame.name, { numPlayers: Number(seats) });
  const table = { clients: [], sent: new Map() };
  for (let seat = 0; seat < seats; seat++) {
    const { playerCredentials } = await lobby.joinMatch(CardGame.name, matchID, { playerID: `${seat}`, playerName: `${number}-${seat}` });
    const one = Client({ game: CardGame, multiplayer: SocketIO({ server }), matchID, playerID: `${seat}`, credentials: playerCredentials, debug: false });
    one.subscribe((state) => {
      const sent = state && table.sent.get(state.ctx.turn - 1);
      if (sent && sent.seat !== seat && !sent.shown.has(seat)) {
        sent.shown.add(seat);
        if (sent.counts) delays.push(now() - sent.at);
      }
    });
    one.start();
    table.clients.push(one);
  }
  return table;
}

function move(table) {
  const state = table.clients[0].getState();
  if (!state) return;
  const seat = Number(state.ctx.currentPlayer);
  const { turn } = state.ctx;
  if (table.sent.has(turn)) return; // the last one has not come back yet
  table.sent.set(turn, { seat, at: now(), shown: new Set(), counts: measuring });
  if (measuring) moves++;
  table.clients[seat].moves.play(turn);
}

const all = [];
for (let number = 0; number < tables; number++) all.push(await sit(number));
all.forEach((table, number) => setTimeout(() => setInterval(() => move(table), 1000), (1000 * number) / tables));
setTimeout(() => { measuring = true; console.log("measuring"); }, 5000);
setTimeout(() => {
  process.stdout.write(`${JSON.stringify({ moves, delays })}\n`, () => process.exit(0));
}, 5000 + 1000 * seconds);
