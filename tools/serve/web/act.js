// Acts on the selected files, where the server allows it: moves them to its folder or makes them hard links. Each
// action has a log, by which it is undone.

import { getJson, postJson } from './api.js';
import { button, byId, make, say, setHidden } from './dom.js';
import { pages } from './pages.js';
import { counted, localTime, sizeText, sumText } from './text.js';

const kPublishMs = 2500;  // until the server answers from the index without the moved files
const kVerbs = { move: ['Move', 'moved'], hardlink: ['Link', 'made a hard link', 'made hard links'] };

let allowed = [];

// state: the answer of /v1/index.
export function offerActions({ actions, move_to: folder }) {
  allowed = actions;
  setHidden('act-move', !actions.includes('move'));
  setHidden('act-hardlink', !actions.includes('hardlink'));
  byId('act-move').title = folder;
  byId('move-folder').textContent = folder;
  for (const link of document.querySelectorAll('a[href="#acted"]')) link.hidden = actions.length === 0;
}

// Asks in the dialog. Returns true if the answer is yes.
function confirmed(action, entries) {
  const files = counted(entries.length, 'file');
  byId('confirm-text').textContent = action === 'move'
    ? `Move ${files} (${sumText(entries)}) to ${byId('move-folder').textContent}?`
    : `Make the exact copies among ${files} hard links to the files that stay?`;
  byId('confirm-yes').textContent = kVerbs[action][0];
  const dialog = byId('confirm');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener('close', () => done(dialog.returnValue === 'yes'), { once: true });
  });
}

// Shows why files were left as they are.
function showLeft(left) {
  byId('left').replaceChildren(...(left.length === 0 ? [] : [make('details', {},
    make('summary', {}, `${counted(left.length, 'file')} left as ${left.length === 1 ? 'it is' : 'they are'}`),
    make('ul', {}, left.map((sentence) => make('li', {}, sentence))))]));
}

function sentence({ done, pending }, verb) {
  const rest = pending > 0 ? ` The time was over before ${counted(pending, 'file')}: repeat it.` : '';
  return `${counted(done.length, 'file')} ${verb}.${rest}`;
}

// Acts on entries, [{ path, stays, size_bytes }]. Returns the report with a text; false if that was not confirmed.
async function act(action, entries) {
  if (!await confirmed(action, entries)) return false;
  say(action === 'move' ? 'Moving …' : 'Linking …');
  const files = entries.map(({ path, stays }) => ({ path, stays }));
  const report = await postJson('v1/actions', {}, JSON.stringify({ action, files }));
  await new Promise((shown) => setTimeout(shown, kPublishMs));
  const verbs = kVerbs[action];
  return { ...report, text: sentence(report, report.done.length === 1 ? verbs[1] : verbs.at(-1)) };
}

// entries: () => the selected files; refresh: () => shows the groups again.
export function bindActions(guard, entries, refresh) {
  for (const action of ['move', 'hardlink']) {
    const start = byId(`act-${action}`);
    start.addEventListener('click', () => guard(async () => {
      start.disabled = true;
      try {
        const result = await act(action, entries());
        if (!result) return;
        await refresh();
        const undoing = result.log ? [button('Undo', () => guard(() => undoInPlace(result.log, refresh)))] : [];
        say(`${result.text} `, false, ...undoing);
        showLeft(result.left);
      } finally {
        start.disabled = false;
      }
    }));
  }
}

// Puts back what a log names, and shows the view again.
async function undoInPlace(log, refresh) {
  say('Putting back …');
  const report = await postJson('v1/undo', {}, JSON.stringify({ log }));
  await refresh();
  say(`${sentence(report, 'put back')} The next run of lookalike index finds what was moved.`);
  showLeft(report.left);
}

async function undo(log, start) {
  start.disabled = true;
  try {
    await undoInPlace(log, showActed);
  } catch (error) {
    say(error.message, true);
    start.disabled = false;
  }
}

function actionOf({ log, action, modified_ns: time, files, bytes, standing }) {
  const what = `${action === 'move' ? 'Move' : 'Hard links'} of ${counted(files, 'file')} (${sizeText(bytes)})`;
  const facts = `${localTime(time / 1e6)} · ${standing === 0 ? 'undone' : `${standing} of ${files} done`}`;
  const start = button('Undo', () => undo(log, start), { 'aria-label': `Undo ${log}` });
  return make('li', { class: 'row' }, make('span', { class: 'names' }, what, make('p', { class: 'facts' }, facts),
    make('p', { class: 'facts path' }, log)), standing === 0 ? null : start);
}

// Shows the logs of actions, the latest first.
export async function showActed() {
  await pages(byId('acted'), async () => {
    const { actions } = allowed.length > 0 ? await getJson('v1/actions') : { actions: [] };
    return {
      summary: actions.length > 0 ? `${counted(actions.length, 'action')}.` : 'Nothing was moved or linked.',
      elements: actions.map(actionOf),
      next: null,
    };
  });
}
