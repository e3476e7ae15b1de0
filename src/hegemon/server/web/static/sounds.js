// Three synthesized sounds: a card, the reader's turn, and the end of the game.

let context = null;

/** A tone that swells and fades. */
function tone(frequency, start, length, volume, shape = "sine") {
  const now = context.currentTime + start;
  const source = context.createOscillator();
  const level = context.createGain();
  source.type = shape;
  source.frequency.value = frequency;
  level.gain.setValueAtTime(0, now);
  level.gain.linearRampToValueAtTime(volume, now + 0.015);
  level.gain.exponentialRampToValueAtTime(0.0001, now + length);
  source.connect(level).connect(context.destination);
  source.start(now);
  source.stop(now + length);
}

/** A card on a table: a short burst of noise. */
function rustle() {
  const length = 0.07;
  const buffer = context.createBuffer(1, context.sampleRate * length, context.sampleRate);
  const noise = buffer.getChannelData(0);
  for (let i = 0; i < noise.length; i += 1) noise[i] = (Math.random() * 2 - 1) * (1 - i / noise.length) ** 2;
  const source = context.createBufferSource();
  const muffle = context.createBiquadFilter();
  const level = context.createGain();
  source.buffer = buffer;
  muffle.type = "lowpass";
  muffle.frequency.value = 2600;
  level.gain.value = 0.18;
  source.connect(muffle).connect(level).connect(context.destination);
  source.start();
}

const SOUNDS = {
  card: rustle,
  turn: () => { tone(523.25, 0, 0.35, 0.06); tone(783.99, 0.12, 0.45, 0.05); },
  end: () => [392, 523.25, 659.25, 783.99].forEach((note, place) => tone(note, place * 0.14, 0.9, 0.06, "triangle")),
};

export function play(name) {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume(); // browsers stay silent until something has been pressed
  SOUNDS[name]();
}
