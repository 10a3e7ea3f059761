// The view in which one plays: who the opponent is, then the game.

import { beginNew, chooseNew, reviewKept } from './actions.js';
import { CLOCKS } from './clock.js';
import { game, path } from './game.js';
import { askHint, canTakeBack, isAtLast, isPlaying, isUsersTurn, match, offerDraw, resign, takeBack, takeOver } from './match.js';
import { opponentOf, OPPONENTS, SUGGESTED } from './opponents.js';
import { attempt, confirm, flip, open, openDialog, toast } from './page.js';
import { BoardArea, Button, Choice, Cycle, Moves, StateLine, Steps, Switch } from './parts.js';
import { GoOn } from './start_view.js';
import { set, settings } from './store.js';
import { html, redraw } from './view.js';
import { choosePair, say } from './words.js';

const change = (changes) => {
  set(changes);
  if (changes.side) flip(changes.side === 'black');
  redraw();
};

function Setup() {
  const chosen = settings.opponent;
  return html`<section class="panel setup" id="setup" aria-label=${say('new_game')}>
    <div class="scroll">
    <${GoOn} />
    ${!chosen && html`<${Choice} name="strength" label=${say('how_strong')} value=${null} onChange=${(key) => change({ opponent: SUGGESTED[key] })}
      values=${[['beginner', say('beginner')], ['club', say('club')], ['strong', say('strong')]]} />`}
    <fieldset class="opponents"><legend>${say('opponent')}</legend><div>
      ${OPPONENTS.map((one) => html`<label key=${one.key} class=${one.key === chosen ? 'chosen' : ''}>
        <input type="radio" name="opponent" value=${one.key} checked=${one.key === chosen} onChange=${() => change({ opponent: one.key })} />
        <span class="seal" aria-hidden="true" lang="zh">${one.mark}</span><b>${choosePair(one.name)}</b></label>`)}
    </div><button type="button" class="plain" id="ratings" onClick=${() => openDialog('opponents')}>${say('how_strong_are_they')}</button>
    ${chosen && html`<p class="muted" id="about">${say('about', choosePair(opponentOf(chosen).name), choosePair(opponentOf(chosen).about))}</p>`}</fieldset>
    <${Choice} name="side" label=${say('you_play')} value=${settings.side} onChange=${(side) => change({ side })}
      values=${[['red', say('red')], ['black', say('black')], ['random', say('random')]]} />
    <label class="field clock-field">${say('clock')}<select id="clock" value=${settings.clock} onChange=${(event) => change({ clock: event.target.value })}>
      ${Object.keys(CLOCKS).map((key) => html`<option value=${key}>${say(`clock_${key}`)}</option>`)}</select></label>
    <${Switch} label=${say('adapts')} value=${settings.adapts} onChange=${(adapts) => change({ adapts, streak: 0 })} />
    <${Switch} label=${say('use_book')} value=${settings.book} onChange=${(book) => change({ book })} />
    </div>
    <div class="action"><button type="button" class="main" id="begin" onClick=${() => beginNew()}>${say('begin')}</button>
      ${settings.side !== 'black' && html`<span class="muted">${say('begin_hint')}</span>`}</div>
  </section>`;
}

const askResign = attempt(async () => {
  if (!(await confirm('resign_ask', { yes: 'resign' })) || !isPlaying()) return;
  toast(say('resigned'), { undo: resign() });
});

/** What to do at this moment of the game. */
function Moment() {
  if (match.isParked) {
    return html`<div class="action"><span>${say('parked')}</span><button type="button" class="main" onClick=${attempt(takeOver)}>${say('take_over')}</button></div>`;
  }
  if (!isPlaying()) {
    return html`<div class="action"><button type="button" class="main" id="rematch" onClick=${() => beginNew(match.side)}>${say('rematch')}</button>
      <button type="button" id="new-game" onClick=${chooseNew}>${say('new_game')}</button>
      <button type="button" id="review-game" onClick=${() => reviewKept()}>${say('review_this')}</button></div>`;
  }
  if (!isAtLast()) {
    return html`<div class="action"><span>${say('not_last')}</span><button type="button" class="main" onClick=${() => open('play')}>${say('to_game')}</button></div>`;
  }
  return html`<div class="action four">
    <${Button} icon="undo" name="take_back" id="take-back" text onClick=${attempt(takeBack)} disabled=${!canTakeBack()} />
    <${Button} icon="hint" name="hint" id="hint" text onClick=${askHint} disabled=${!isUsersTurn()} />
    <${Button} icon="draw" name="offer_draw" id="offer-draw" text onClick=${offerDraw} disabled=${!isUsersTurn()} />
    <${Button} icon="resign" name="resign" id="resign" text onClick=${askResign} /></div>`;
}

function outcome() {
  if (isPlaying() || game.result === '*') return '';
  if (game.result === '1/2-1/2') return say('draw');
  return say((game.result === '1-0') === (match.side === 'red') ? 'you_win' : 'you_lose');
}

function Message() {
  const { message } = match;
  const text = message?.text ?? (message ? say(message) : '');
  return html`<p class="message" id="message">${[outcome(), text, match.practice ? say('practice') : '', match.premove ? `${say('premove')}: ${match.premove}` : ''].filter(Boolean).join(' · ')}</p>`;
}

export function PlayView() {
  const isMatch = match.side !== null;
  return html`<main class="table" id="play"><h1 class="hidden">${say('play')}</h1>
    <${BoardArea} />
    ${!isMatch ? html`<${Setup} />` : html`<section class="panel" id="play-panel" aria-label=${say('play')}>
      <${StateLine} /><${Message} /><${Cycle} />
      <${Moves} />
      <${Moment} />
      <div class="controls"><${Steps} />${isPlaying() && path().length > 0 && html`<${Button} name="new_game" text id="new-game" onClick=${chooseNew} />`}</div>
    </section>`}
  </main>`;
}
