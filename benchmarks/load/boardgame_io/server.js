// boardgame.io's server, as its documentation starts it; games are stored in memory.
import server from "boardgame.io/dist/cjs/server.js";
import { CardGame } from "./game.js";

const { Server, Origins } = server;
const running = Server({ games: [CardGame], origins: [Origins.LOCALHOST] });
const { appServer } = await running.run({ port: 0, callback: () => {} });
console.log(`listening ${appServer.address().port}`);
