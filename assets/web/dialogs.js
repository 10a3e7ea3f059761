// Dialogs: settings, sharing, opening games, and questions.

import { analyse } from './analysis.js';
import { boardImage, exportText, linkToPosition, readFile, readText, saveGame, savePicture } from './files.js';
import { game, goTo } from './game.js';
import { interrupt } from './match.js';
import { OPPONENTS } from './opponents.js';
import { announce, attempt, closeDialog, closeToast, fail, mayLeave, open, page, toast } from './page.js';
import { Button, Choice, Switch } from './parts.js';
import { SETS } from './pieces.js';
import { set, settings } from './store.js';
import { Component, html, redraw } from './view.js';
import { choose, choosePair, currentLanguage, say, setLanguage } from './words.js';

/** A dialog that keeps the focus within it and returns it. */
class Dialog extends Component {
  componentDidMount() {
    this.before = document.activeElement;
    this.element.showModal();
    this.element.querySelector('[data-first]')?.focus();
  }

  componentWillUnmount() {
    this.before?.focus?.();
  }

  render({ title, onClose, children, id }) {
    return html`<dialog id=${id} ref=${(element) => { this.element = element; }} aria-label=${title} onCancel=${(event) => { event.preventDefault(); onClose(); }}
        onClick=${(event) => { if (event.target === this.element) onClose(); }}>
      <div class="dialog"><header><h2>${title}</h2><${Button} icon="close" name="close" id="close" onClick=${onClose} /></header>${children}</div></dialog>`;
  }
}

/** Applies the settings that the document shows. */
export function applyLook() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const root = document.documentElement;
  root.dataset.theme = settings.theme === 'auto' ? (dark ? 'dark' : 'light') : settings.theme;
  root.dataset.board = settings.board;
  redraw();
}

/** Chooses the language of the page. */
export function chooseLanguage(language) {
  setLanguage(language);
  set({ language });
  // What was said stays in the language before.
  announce('');
  closeToast();
  redraw();
}

const change = (changes) => {
  set(changes);
  applyLook();
};

const changeRules = attempt(async (rules) => {
  // The engine of a game begins again by the new rules.
  interrupt();
  set({ rules });
  game.rules = rules;
  await goTo(game.current);
});

function Settings() {
  const pick = (name, values, prefix) => html`<${Choice} name=${name} label=${say(name === 'board' ? 'board_look' : name)} value=${settings[name]}
    onChange=${(value) => change({ [name]: value })} values=${values.map((value) => [value, say(`${prefix}_${value}`)])} />`;
  return html`<${Dialog} id="settings-dialog" title=${say('settings')} onClose=${closeDialog}>
    ${pick('board', ['wood', 'paper', 'dark'], 'board')}
    ${pick('pieces', SETS, 'pieces')}
    ${pick('theme', ['auto', 'light', 'dark'], 'theme')}
    ${pick('notation', ['chinese', 'wxf', 'move'], 'notation')}
    <${Choice} name="language" label=${say('language')} value=${currentLanguage()} onChange=${chooseLanguage} values=${[['en', 'English'], ['zh', '中文']]} />
    <${Choice} name="lines" label=${say('lines')} value=${String(settings.lines)} onChange=${(lines) => { set({ lines: Number(lines) }); analyse(); }} values=${['1', '2', '3', '5'].map((value) => [value, value])} />
    <${Choice} name="rules" label=${say('rules')} value=${game.rules} onChange=${changeRules} values=${['computer', 'league', 'axf', 'simple'].map((value) => [value, say(`rules_${value}`)])} />
    <${Switch} label=${say('sounds')} value=${settings.sound} onChange=${(sound) => change({ sound })} />
    <${Switch} label=${say('show_targets')} value=${settings.targets} onChange=${(targets) => change({ targets })} />
    <${Switch} label=${say('coordinates')} value=${settings.coordinates} onChange=${(coordinates) => change({ coordinates })} />
    <${Switch} label=${say('arrows')} value=${settings.arrows} onChange=${(arrows) => change({ arrows })} />
    <p class="muted">${say('keys')}</p><p class="muted" id="version">chuhe ${page.version ?? ''}</p>
  </${Dialog}>`;
}

const copy = (make) => attempt(async () => {
  const content = await make();
  try {
    if (content instanceof Blob) await navigator.clipboard.write([new ClipboardItem({ 'image/png': content })]);
    else await navigator.clipboard.writeText(content);
  } catch {
    toast(say('not_copied'), { isError: true });
    return;
  }
  closeDialog();
  toast(say('copied'));
});

const save = (action) => attempt(async () => {
  await action();
  closeDialog();
  toast(say('saved'));
});

function Share() {
  const item = (id, name, onClick) => html`<button type="button" id=${id} onClick=${onClick}>${say(name)}</button>`;
  return html`<${Dialog} id="share-dialog" title=${say('share')} onClose=${closeDialog}>
    <label class="field">FEN<input id="fen" data-first readonly value=${game.state.fen} onFocus=${(event) => event.target.select()} /></label>
    <div class="grid">
      ${item('copy-fen', 'copy_fen', copy(async () => game.state.fen))}
      ${item('copy-link', 'copy_link', copy(async () => linkToPosition()))}
      ${item('copy-moves', 'copy_moves', copy(() => exportText('moves', settings.notation)))}
      ${item('copy-ubb', 'copy_ubb', copy(() => exportText('dhtmlxq', 'chinese')))}
      ${item('copy-picture', 'copy_picture', copy(boardImage))}
      ${item('save-png', 'save_png', save(() => savePicture('png')))}
      ${item('save-svg', 'save_svg', save(() => savePicture('svg')))}
    </div>
    <h3>${say('save_game')}</h3>
    <div class="grid">${['pgn', 'xqf', 'dhtmlxq', 'moves'].map((format) => html`<button type="button" id=${`save-${format}`} onClick=${save(() => saveGame(format, settings.notation))}>
      ${{ pgn: 'PGN', xqf: 'XQF', dhtmlxq: 'DhtmlXQ', moves: say('save_moves') }[format]}</button>`)}</div>
  </${Dialog}>`;
}

/** Reads games and shows the first one for a review. */
export async function take(reading) {
  if (!(await mayLeave())) return;
  const answer = await reading();
  await open('analyse');
  const count = answer.games.length > 1 ? say('loaded_games', answer.games.length) : say('game');
  const remarks = [...answer.errors.slice(0, 4).map(choose), ...(answer.is_cut ? [say('more_games')] : [])];
  toast([say('loaded', count), ...remarks].join('\n'), { isError: remarks.length > 0 });
}

function Open() {
  return html`<${Dialog} id="open-dialog" title=${say('review')} onClose=${closeDialog}>
    <label class="button main file">${say('open_file')}<input id="file" type="file" accept=".pgn,.xqf,.cbr,.cbl,.txt,.html,.htm,.dhtmlxq,.tsv,.moves,.ubb"
      onChange=${attempt((event) => { const [file] = event.target.files; return file && take(() => readFile(file)); })} /></label>
    <p class="muted">${say('open_help')}</p>
    <label class="field">${say('paste')}<textarea id="paste" data-first rows="6" spellcheck=${false}></textarea></label>
    <div class="action"><button type="button" class="main" id="load" onClick=${attempt(() => take(() => readText(document.getElementById('paste').value)))}>${say('load')}</button></div>
  </${Dialog}>`;
}

function Question() {
  const { text, detail, yes, answer } = page.question;
  return html`<${Dialog} id="question" title=${say(text)} onClose=${() => answer(false)}>
    ${detail && html`<p>${say(detail)}</p>`}
    <div class="action"><button type="button" class="main" id="yes" data-first onClick=${() => answer(true)}>${say(yes)}</button>
      <button type="button" id="no" onClick=${() => answer(false)}>${say('cancel')}</button></div></${Dialog}>`;
}

/** How strong the opponents are. */
function Opponents() {
  return html`<${Dialog} id="opponents-dialog" title=${say('opponents')} onClose=${closeDialog}>
    <p class="muted">${say('ratings_help')}</p>
    <table><thead><tr><th>${say('opponent')}</th><th>${say('rating')}</th></tr></thead><tbody>
      ${OPPONENTS.map((one) => html`<tr key=${one.key}><th scope="row">${choosePair(one.name)}<br /><span class="muted">${choosePair(one.about)}</span></th>
        <td>${one.rating}${one.error ? ` ± ${one.error}` : ''}</td></tr>`)}
    </tbody></table></${Dialog}>`;
}

const DIALOGS = { settings: Settings, share: Share, open: Open, opponents: Opponents };

export const Dialogs = () => html`${page.dialog && html`<${DIALOGS[page.dialog]} key=${page.dialog} />`}${page.question && html`<${Question} key="question" />`}`;

/** Takes files and texts that are dropped or pasted anywhere. */
export function setUpDrops() {
  for (const name of ['dragenter', 'dragover']) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
  }
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) document.body.classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    const [file] = event.dataTransfer.files;
    const text = event.dataTransfer.getData('text');
    if (file) take(() => readFile(file)).catch(fail);
    else if (text) take(() => readText(text)).catch(fail);
  });
  document.addEventListener('paste', (event) => {
    if (/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    const [file] = event.clipboardData.files;
    const text = event.clipboardData.getData('text');
    if (file) take(() => readFile(file)).catch(fail);
    else if (text.trim()) take(() => readText(text)).catch(fail);
  });
}
