// A card game of similar size for boardgame.io: 104 cards of six kinds, hidden hands, public areas.
// A move plays a card and draws another, or takes one from the discard pile; it is the next player's turn after that.

const KINDS = 6;
const CARDS = 104;

const shuffled = (random) => random.Shuffle(Array.from({ length: CARDS }, (_, i) => ({ kind: i % KINDS, age: 1 + Math.floor(i / 35) })));

export const CardGame = {
  name: "cards",
  setup: ({ ctx, random }) => {
    const deck = shuffled(random);
    const players = {};
    for (let seat = 0; seat < ctx.numPlayers; seat++) {
      players[seat] = { hand: deck.splice(0, 3), area: Array.from({ length: KINDS }, () => []) };
    }
    return { deck, discard: [], players };
  },
  // Other players do not receive hidden cards.
  playerView: ({ G, playerID }) => ({
    ...G,
    deck: G.deck.length,
    players: Object.fromEntries(
      Object.entries(G.players).map(([seat, player]) =>
        seat === playerID ? [seat, player] : [seat, { ...player, hand: player.hand.map((card) => ({ age: card.age })) }],
      ),
    ),
  }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: {
      move: ({ G, playerID }, place) => {
        const player = G.players[playerID];
        const [card] = player.hand.splice(place % player.hand.length, 1);
        player.area[card.kind].push(card);
        if (player.area[card.kind].length > 6) G.discard.push(...player.area[card.kind].splice(0, 5));
        player.hand.push(G.deck.length ? G.deck.pop() : G.discard.shift() ?? card);
      },
      client: false,
    },
  },
};
