// Groups of files that show the same thing: sorted, filtered, compared, and selected for other programs.

import { bindActions } from './act.js';
import { getJson } from './api.js';
import { button, byId, lazyPicture, make, say, setHidden } from './dom.js';
import { exported } from './export.js';
import { suggestFolders } from './folder_input.js';
import { fileFacts, titleOf, totals } from './group.js';
import { showLarger } from './larger.js';
import { pages } from './pages.js';
import { pairsOf } from './pairs.js';
import { Selection } from './selection.js';
import { counted, shortNames, sumText } from './text.js';

const kPage = 20;
const kMostPage = 100;
const kPatienceMs = 200;  // before it is said that files are compared

export const selection = new Selection(showSelection);
const drawn = new Map();  // { select, choice } of the shown groups, by number

// Requests groups, which takes seconds after a run, and says so meanwhile.
export async function comparedGroups(parameters) {
  const timer = setTimeout(() => setHidden('comparing', false), kPatienceMs);
  try {
    return await getJson('v1/groups', { ...parameters, ...filter() });
  } finally {
    clearTimeout(timer);
    setHidden('comparing', true);
  }
}

function showSelection() {
  const entries = selection.entries();
  setHidden('selection', selection.groups === 0);
  byId('selected').textContent =
    `${counted(selection.groups, 'group')} selected: ${counted(entries.length, 'file')}, ${sumText(entries)}`;
}

function fileOf(file, choice, names, redraw) {
  const goes = choice.going.has(file.path);
  const state = choice.stateOf(file);
  const name = names.get(file.path);
  const toggle = make('input', {
    type: 'checkbox',
    disabled: !choice.canChange(file) && '',
    'aria-label': `${name} goes`,
    change: () => {
      const isDone = choice.set(file.path, toggle.checked);
      say(isDone ? '' : 'One file of a group must stay.', !isDone);
      redraw();
    },
  });
  toggle.checked = goes;
  const canSwap = goes && choice.canChange(file) && file.of !== null && !choice.going.has(file.of);
  return make('li', {},
    button(lazyPicture(file.id), () => showLarger(file.id), { class: 'thumb', 'aria-label': `Show ${name}` }),
    make('label', { class: 'check' }, toggle, make('span', { class: `badge ${state}` }, state)),
    fileFacts(file, names),
    canSwap ? button('Keep this one instead', () => {
      choice.keepInstead(file);
      redraw();
    }, { 'aria-label': `Keep this one instead: ${name}` }) : null);
}

// place: of the group in the list, from 0.
function groupElement(group, place) {
  const choice = selection.choiceOf(group);
  const names = shortNames(group.files.map((file) => file.path));
  const title = make('h3');
  const grid = make('ul', { class: 'grid' });
  const select = make('input', { type: 'checkbox', 'aria-label': `Select group ${group.group}`,
    change: () => selection.set([choice], select.checked) });
  const redraw = () => {
    title.textContent = `Group ${group.group}: ${titleOf(group, choice)}`;
    grid.replaceChildren(...group.files.map((file) => fileOf(file, choice, names, redraw)));
    select.checked = selection.has(choice);
    if (select.checked) showSelection();
  };
  redraw();
  drawn.set(group.group, { select, choice });
  return make('article', { class: 'group', 'aria-label': `Group ${group.group}` },
    make('div', { class: 'group-head' }, title, make('div', { class: 'row' },
      make('a', { class: 'button', href: `#review=${place}`, 'aria-label': `Review group ${group.group}` }, 'Review'),
      make('label', { class: 'check' }, select, 'Select'))), grid, pairsOf(group, names));
}

function filter() {
  const { sort, kind, folder } = byId('group-filter').elements;
  return {
    sort: sort.value,
    ...(kind.value && { kind: kind.value }),
    ...(folder.value.trim() && { folder: folder.value.trim() }),
  };
}

export async function showGroups() {
  drawn.clear();
  byId('group-totals').textContent = '';
  setHidden('review-all', true);
  await pages(byId('groups'), async (after) => {
    const answer = await comparedGroups({ after, limit: kPage });
    return {
      shown: () => {
        byId('group-totals').textContent = totals(answer);
        byId('select-all').disabled = answer.total === 0;
        setHidden('review-all', answer.total === 0);
        return answer.groups.map((group, i) => groupElement(group, after + i));
      },
      next: answer.next,
    };
  });
}

async function selectAll() {
  for (let after = 0; after !== null;) {
    const answer = await comparedGroups({ after, limit: kMostPage });
    selection.set(answer.groups.map((group) => drawn.get(group.group)?.choice ?? selection.choiceOf(group)), true);
    for (const group of answer.groups) {
      const shown = drawn.get(group.group);
      if (shown) shown.select.checked = true;
    }
    after = answer.next;
  }
}

function download({ name, blob }) {
  const url = URL.createObjectURL(blob);
  const link = make('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function unselect() {
  selection.clear();
  for (const { select } of drawn.values()) select.checked = false;
}

// refresh: () => shows the view again, after files were moved or linked.
export function bindGroups(guard, refresh) {
  byId('group-filter').addEventListener('change', () => guard(showGroups));
  byId('group-filter').addEventListener('submit', (event) => event.preventDefault());
  suggestFolders(byId('group-filter').elements.folder, byId('group-folders'));
  byId('select-all').addEventListener('click', () => guard(selectAll));
  byId('export').addEventListener('click', () => download(exported(byId('export-format').value, selection.entries())));
  byId('unselect').addEventListener('click', unselect);
  bindActions(guard, () => selection.entries(), () => {
    unselect();
    return refresh();
  });
}
