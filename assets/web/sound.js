// Sounds, made on the spot: wood on wood for a move, a deeper one for a capture, a bell for check, two notes for the end.

import { settings } from './store.js';

let audio = null;

function tone(frequency, type, volume, length, delay = 0) {
  const at = audio.currentTime + delay;
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(frequency, at);
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(volume, at + 0.004);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}

/** A short noise through a filter: one piece of wood on another. */
function knock(frequency, volume) {
  const length = Math.floor(audio.sampleRate * 0.06);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < length; index += 1) samples[index] = (Math.random() * 2 - 1) * (1 - index / length) ** 6;
  const source = audio.createBufferSource();
  source.buffer = buffer;
  const filter = audio.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.value = frequency;
  filter.Q.value = 1.4;
  const gain = audio.createGain();
  gain.gain.value = volume;
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start();
}

const SOUNDS = {
  move: () => {
    knock(1500, 0.5);
    tone(210, 'sine', 0.12, 0.08);
  },
  capture: () => {
    knock(800, 0.8);
    tone(120, 'sine', 0.22, 0.13);
  },
  check: () => {
    knock(1500, 0.4);
    tone(880, 'sine', 0.08, 0.5);
    tone(1320, 'sine', 0.04, 0.4);
  },
  end: () => {
    tone(392, 'triangle', 0.1, 0.35);
    tone(523, 'triangle', 0.1, 0.6, 0.22);
  },
};

/** Plays a sound unless sounds are off. */
export function sound(name) {
  if (!settings.sound) return;
  try {
    audio ??= new AudioContext();
    if (audio.state === 'suspended') audio.resume();
    SOUNDS[name]();
  } catch { /* A browser without sound. */ }
}
