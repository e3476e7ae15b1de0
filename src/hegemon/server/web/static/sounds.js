// Soft synthesized sounds: a card, cards that are drawn, an attack, the reader's turn, and the end of the game.

let context = null;
/** When each sound was last played, in seconds: several moves at once sound like one. */
const playedAt = {};
const MIN_INTERVAL = 0.09;

/** A tone that swells and fades. */
function tone(frequency, start, length, volume, shape = "sine", end = frequency) {
  const now = context.currentTime + start;
  const source = context.createOscillator();
  const level = context.createGain();
  source.type = shape;
  source.frequency.setValueAtTime(frequency, now);
  source.frequency.exponentialRampToValueAtTime(end, now + length);
  level.gain.setValueAtTime(0, now);
  level.gain.linearRampToValueAtTime(volume, now + 0.015);
  level.gain.exponentialRampToValueAtTime(0.0001, now + length);
  source.connect(level).connect(context.destination);
  source.start(now);
  source.stop(now + length);
}

/** A card on a table: a short burst of noise. */
function rustle(start = 0, length = 0.07, volume = 0.18, cutoff = 2600) {
  const buffer = context.createBuffer(1, context.sampleRate * length, context.sampleRate);
  const noise = buffer.getChannelData(0);
  for (let i = 0; i < noise.length; i += 1) noise[i] = (Math.random() * 2 - 1) * (1 - i / noise.length) ** 2;
  const source = context.createBufferSource();
  const muffle = context.createBiquadFilter();
  const level = context.createGain();
  source.buffer = buffer;
  muffle.type = "lowpass";
  muffle.frequency.value = cutoff;
  level.gain.value = volume;
  source.connect(muffle).connect(level).connect(context.destination);
  source.start(context.currentTime + start);
}

const notes = (list, step, length, volume, shape) => list.forEach((note, place) => tone(note, place * step, length, volume, shape));

const SOUNDS = {
  card: () => rustle(),
  draw: () => { rustle(0, 0.06, 0.1, 3800); rustle(0.09, 0.06, 0.12, 3400); },
  attack: () => { tone(150, 0, 0.35, 0.14, "triangle", 60); rustle(0, 0.16, 0.16, 900); },
  turn: () => { tone(523.25, 0, 0.35, 0.06); tone(783.99, 0.12, 0.45, 0.05); },
  win: () => notes([392, 523.25, 659.25, 783.99, 1046.5], 0.13, 0.9, 0.06, "triangle"),
  loss: () => notes([392, 349.23, 293.66], 0.22, 0.9, 0.05, "sine"),
  end: () => notes([392, 523.25], 0.18, 0.8, 0.05, "triangle"),
};

export function play(name) {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume(); // browsers stay silent until the user interacts with the page
  if (context.currentTime - (playedAt[name] ?? -1) < MIN_INTERVAL) return;
  playedAt[name] = context.currentTime;
  SOUNDS[name]();
}
