// The page: its head, its views, and what connects them.

import { setUpAnalysis } from './analysis.js';
import { AnalyseView } from './analyse_view.js';
import { applyLook, chooseLanguage, Dialogs, setUpDrops } from './dialogs.js';
import { ask, connect, connection, ConnectionClosed, onConnection } from './engine.js';
import { fenOfAddress, setFen } from './files.js';
import { game, goTo, newGame, onChange } from './game.js';
import { GamesView } from './games_view.js';
import { match, other, resume, setUpMatch } from './match.js';
import { announce, attempt, closeToast, fail, flip, mayLeave, onKey, open, openDialog, page, shown } from './page.js';
import { Button, stateText } from './parts.js';
import { Brush, Definitions, loadGlyphs, SETS } from './pieces.js';
import { PlayView } from './play_view.js';
import { sound } from './sound.js';
import { StartView } from './start_view.js';
import { current, settings } from './store.js';
import { openTransport } from './transport.js';
import { html, mount, redraw } from './view.js';
import { currentLanguage, say, setLanguage } from './words.js';

const VIEWS = { start: StartView, play: PlayView, analyse: AnalyseView, games: GamesView };

const Tabs = ({ name }) => html`<nav class=${name} aria-label=${say('views')}>${['play', 'analyse', 'games'].map((view) => html`
  <button type="button" id=${`${name}-${view}`} aria-current=${page.view === view ? 'page' : null} onClick=${attempt(() => open(view))}>${say(view)}</button>`)}</nav>`;

const Head = () => html`<header class="head">
  <button type="button" class="brand" id="home" aria-label=${say('start')} onClick=${attempt(() => open('start'))}><${Brush} text="楚河" /></button>
  <${Tabs} name="tabs-head" />
  <div class="tools">
    <${Button} icon="share" name="share" id="share" disabled=${page.view === 'start' || page.view === 'games'} onClick=${() => openDialog('share')} />
    <button type="button" id="language" aria-label=${say('other_language')} title=${say('other_language')} lang=${currentLanguage() === 'zh' ? 'en' : 'zh-CN'}
      onClick=${() => chooseLanguage(currentLanguage() === 'zh' ? 'en' : 'zh')}>${currentLanguage() === 'zh' ? 'EN' : '中'}</button>
    <${Button} icon="gear" name="settings" id="settings" onClick=${() => openDialog('settings')} />
  </div></header>`;

function Toast() {
  const { toast: message } = page;
  const undo = () => {
    closeToast();
    message.undo();
  };
  return html`<div class="toasts" role="status" id="toasts">
    ${connection.state === 'closed' && html`<p class="toast error" id="closed">${say('closed')}</p>`}
    ${message && html`<p class=${`toast ${message.isError ? 'error' : ''}`} id="toast"><span>${message.text}</span>
      ${message.undo && html`<button type="button" id="undo" onClick=${undo}>${say('undo')}</button>`}
      <${Button} icon="close" name="close" id="toast-close" onClick=${closeToast} /></p>`}</div>`;
}

function Page() {
  const View = VIEWS[page.view];
  return html`<${Definitions} /><${Head} />${game.state && html`<${View} />`}<${Tabs} name="tabs-foot" />
    <${Dialogs} /><${Toast} /><div class="hidden" aria-live="polite" id="live">${page.spoken}</div>`;
}

onChange((kind) => {
  const { current, state } = game;
  const isMove = kind === 'move' || kind === 'turn';
  if (isMove) {
    const isCapture = current.parent && state.board.replaceAll('.', '').length < (page.pieces ?? 32);
    sound(state.check ? 'check' : isCapture ? 'capture' : 'move');
  }
  if (kind === 'end' && game.result !== '*') sound('end');
  page.pieces = state.board.replaceAll('.', '').length;
  const mover = other(state.side);
  const played = current.move && kind !== 'end' ? `${say(mover)}: ${shown(current)} (${current.move}). ` : '';
  announce(`${played}${stateText()}`);
});

async function begin() {
  const hello = await ask('hello');
  page.version = hello.version;
  match.keepsFiles = hello.keeps_games ?? false;
  const fen = fenOfAddress();
  if (!game.state) game.rules = settings.rules;
  if (game.state) await goTo(game.current);
  else if (fen) await setFen(fen).catch(async (error) => {
    fail(error);
    await newGame(null);
  });
  else await newGame(null);
  if (!page.isReady) {
    const view = location.hash.slice(1);
    const id = !fen && current();
    if (id) {
      await resume(id);
      flip(match.side === 'black');
    }
    await open(fen ? 'analyse' : VIEWS[view] ? view : 'start', false);
    page.isReady = true;
  }
  document.body.dataset.ready = 'true';
}

async function main() {
  setLanguage(settings.language ?? currentLanguage());
  const isChinese = currentLanguage() === 'zh';
  settings.notation ??= isChinese ? 'chinese' : 'wxf';
  if (!SETS.includes(settings.pieces)) settings.pieces = 'simplified';
  applyLook();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyLook);
  await loadGlyphs();
  mount(Page);
  setUpMatch();
  setUpAnalysis();
  setUpDrops();
  document.addEventListener('keydown', onKey);
  window.addEventListener('popstate', attempt(async () => {
    const fen = fenOfAddress();
    const isOther = fen && fen !== game.start;
    if (isOther && !(await mayLeave())) return;
    if (isOther) await setFen(fen);
    const view = location.hash.slice(1);
    await open(fen ? 'analyse' : VIEWS[view] ? view : 'start', false);
  }));
  // Any control may send a request after the end of the connection.
  window.addEventListener('unhandledrejection', (event) => {
    if (event.reason instanceof ConnectionClosed) event.preventDefault();
  });
  onConnection((state) => {
    if (state === 'open') begin().catch(fail);
    redraw();
  });
  connect(openTransport);
}

main().catch(fail);
