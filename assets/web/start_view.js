// The first look: a game to go on with, and the doors.

import { goOn } from './actions.js';
import { open, openDialog } from './page.js';
import { opponentOf } from './opponents.js';
import { SmallBoard } from './board.js';
import { Brush } from './pieces.js';
import { Icon } from './parts.js';
import { games, settings } from './store.js';
import { html } from './view.js';
import { choosePair, day, say } from './words.js';

const START = 'rnbakabnr..........c.....c.p.p.p.p.p..................P.P.P.P.P.C.....C..........RNBAKABNR';

const Door = ({ mark, name, about, onClick, id }) => html`
  <button type="button" class="door" id=${id} onClick=${onClick}>
    <span class="seal" aria-hidden="true" lang="zh">${mark}</span>
    <span class="text"><b>${say(name)}</b><span>${say(about)}</span></span><${Icon} name="right" /></button>`;

/** Returns the newest game that has not ended. */
export const unfinished = () => games().find((entry) => entry.result === '*' && entry.plies > entry.first);

/** A card with a game to go on with. */
export function GoOn() {
  const entry = unfinished();
  if (!entry) return null;
  const opponent = opponentOf(entry.opponent);
  const text = say('your_game', choosePair(opponent.name));
  return html`<div class="go-on" id="go-on">
    <span class="avatar black" aria-hidden="true" lang="zh">${opponent.mark}</span>
    <span class="text"><b>${text} · ${say('move_number', Math.floor(entry.plies / 2) + 1)}</b>
      <span class="muted">${say(`to_move_${entry.toMove}`)}, ${day(entry.updated)}</span></span>
    <button type="button" class="main" onClick=${() => goOn(entry.id)}>${say('go_on')}</button></div>`;
}

export const StartView = () => html`
  <main class="start" id="start">
    <section class="doors">
      <h1><${Brush} text="楚河漢界" /><span class="hidden">${say('name')}</span></h1>
      <p class="tagline">${say('tagline')}</p>
      <${GoOn} />
      <${Door} id="door-play" mark="弈" name="play" about="door_play" onClick=${() => open('play')} />
      <${Door} id="door-review" mark="谱" name="review" about="door_review" onClick=${() => openDialog('open')} />
      <${Door} id="door-analyse" mark="析" name="analyse" about="door_analyse" onClick=${() => open('analyse')} />
    </section>
    <div class="show-board"><${SmallBoard} board=${START} set=${settings.pieces} /></div>
  </main>`;
