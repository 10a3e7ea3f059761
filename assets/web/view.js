// Drawing: the template function of all views, and one redraw of the whole page a frame.

import { Component, h, render } from './vendor/preact.js';
import htm from './vendor/htm.js';

export { Component };

/** Template of a view. */
export const html = htm.bind(h);

let root = null;
let isPlanned = false;

/** Draws a view in the page, now and after each `redraw`. */
export function mount(view) {
  root = view;
  draw();
}

function draw() {
  isPlanned = false;
  render(html`<${root} />`, document.getElementById('page'));
}

/** Draws the page again before the next frame. */
export function redraw() {
  if (isPlanned || !root) return;
  isPlanned = true;
  requestAnimationFrame(draw);
}

/** Names of classes for which the value is true. */
export const classes = (names) => Object.keys(names).filter((name) => names[name]).join(' ');
