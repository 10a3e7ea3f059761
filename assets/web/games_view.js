// The games against the engine that the browser keeps.

import { goOn, reviewKept } from './actions.js';
import { leaveMatch, match } from './match.js';
import { opponentOf } from './opponents.js';
import { toast } from './page.js';
import { Icon } from './parts.js';
import { find, forget, games, keep } from './store.js';
import { html, redraw } from './view.js';
import { choosePair, day, say } from './words.js';

function remove(entry) {
  if (match.id === entry.id) leaveMatch(true);
  forget(entry.id);
  redraw();
  toast(say('removed'), { undo: () => find(entry.id) || keep(entry) || toast(say('not_kept'), { isError: true }) });
}

function resultText(entry) {
  if (entry.result === '*') return say('unfinished');
  if (entry.result === '1/2-1/2') return say('draw');
  return say((entry.result === '1-0') === (entry.side === 'red') ? 'you_win' : 'you_lose');
}

function Entry({ entry }) {
  const opponent = opponentOf(entry.opponent);
  return html`<li class="entry">
    <span class="avatar black" aria-hidden="true" lang="zh">${opponent.mark}</span>
    <span class="text"><b>${choosePair(opponent.name)}</b><span class="muted">${day(entry.started)} · ${say('moves_count', Math.ceil(entry.plies / 2))} · ${say(entry.side)}${entry.practice ? ` · ${say('practice')}` : ''}</span></span>
    <span class="outcome">${resultText(entry)}</span>
    ${entry.result === '*' ? html`<button type="button" class="main" onClick=${() => goOn(entry.id)}>${say('go_on')}</button>`
      : html`<button type="button" onClick=${() => reviewKept(entry.id)}>${say('review_this')}</button>`}
    <button type="button" aria-label=${say('remove')} title=${say('remove')} onClick=${() => remove(entry)}><${Icon} name="bin" /></button></li>`;
}

export function GamesView() {
  const all = games();
  return html`<main class="games" id="games"><h1>${say('games')}</h1>
    ${all.length ? html`<ul class="entries">${all.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} />`)}</ul>` : html`<p class="muted">${say('no_games')}</p>`}</main>`;
}
