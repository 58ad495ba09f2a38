// Groups of files that show the same thing: sorted, filtered, compared, and selected for other programs.

import { bindActions } from './act.js';
import { getJson } from './api.js';
import { Comparison } from './compare.js';
import { button, byId, fileLabel, lazyPicture, make, say, setHidden, showThumbnail } from './dom.js';
import { exported } from './export.js';
import { showLarger } from './larger.js';
import { pages } from './pages.js';
import { Picture } from './picture.js';
import { rejectButton } from './rejection.js';
import { Selection } from './selection.js';
import { counted, grouped, percent, shortNames, sizeText } from './text.js';

const kPage = 20;
const kMostPage = 100;

const selection = new Selection(showSelection);
const drawn = new Map();  // { select, choice } of the shown groups, by number

function sumOf(entries) {
  return sizeText(entries.reduce((sum, entry) => sum + entry.size_bytes, 0));
}

function showSelection() {
  const entries = selection.entries();
  setHidden('selection', selection.groups === 0);
  byId('selected').textContent =
    `${counted(selection.groups, 'group')} selected: ${counted(entries.length, 'file')}, ${sumOf(entries)}`;
}

function fileOf(file, choice, names, redraw) {
  const goes = choice.going.has(file.path);
  const state = file.proposal === 'unknown' ? 'unknown' : goes ? 'go' : 'keep';
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
  const relation = file.of === null ? null : `${file.kind} of ${names.get(file.of)}`;
  const canSwap = goes && choice.canChange(file) && file.of !== null && !choice.going.has(file.of);
  return make('li', {},
    button(lazyPicture(file.id), () => showLarger(file.id), { class: 'thumb', 'aria-label': `Show ${name}` }),
    make('label', { class: 'check' }, toggle, make('span', { class: `badge ${state}` }, state)),
    fileLabel(file.path),
    relation ? make('p', { class: 'facts relation' }, relation) : null,
    file.reason === null ? null : make('p', { class: 'facts' }, file.reason),
    make('p', { class: 'facts' }, `${file.width} × ${file.height} · ${sizeText(file.size_bytes)}`),
    canSwap ? button('Keep this one instead', () => {
      choice.keepInstead(file);
      redraw();
    }, { 'aria-label': `Keep this one instead: ${name}` }) : null);
}

function comparisonOf(pair, first, second, names) {
  const image = make('img', { alt: names.get(second.path) });
  showThumbnail(image, second.id, 1280);
  const picture = new Picture(image, second.width, second.height);
  const places = pair.difference?.places ?? [];
  const differences = places.map((quad) => ({ quad, kind: 'difference' }));
  picture.showOutlines([{ quad: pair.outline, kind: pair.kind }, ...differences]);
  const comparison = new Comparison(picture);
  comparison.show({ id: first.id, name: names.get(first.path), quad: pair.outline });
  return comparison.element;
}

function pairOf(pair, files, names) {
  const [first, second] = [files.get(pair.first), files.get(pair.second)];
  const both = `${names.get(pair.first)} and ${names.get(pair.second)}`;
  const isExact = pair.kind === 'exact';
  const show = button('Compare', () => {
    const isOpen = show.getAttribute('aria-expanded') === 'true';
    if (isOpen) row.lastChild.remove();
    else row.append(comparisonOf(pair, first, second, names));
    show.setAttribute('aria-expanded', String(!isOpen));
  }, { 'aria-expanded': 'false', 'aria-label': `Compare ${both}` });
  const kind = isExact ? 'exact, the same bytes' : `${pair.kind}, ${percent(pair.probability)}`;
  const row = make('li', {}, make('div', { class: 'row' }, make('span', { class: 'names' }, `${both}: ${kind}${pair.joint ? ', joins two parts' : ''}`), show,
    isExact ? null : rejectButton({ a: first.id, b: second.id, names: both, isRejected: false })));
  return row;
}

// Returns the pairs of files with the same bytes, in the form of the others.
function exactPairs(group, files) {
  return group.files.filter((file) => file.kind === 'exact' && file.of !== null).map((file) => {
    const { width, height } = files.get(file.of);
    return { first: file.path, second: file.of, kind: 'exact',
      outline: [[0, 0], [width, 0], [width, height], [0, height]] };
  });
}

function groupElement(group) {
  const choice = selection.choiceOf(group);
  const files = new Map(group.files.map((file) => [file.path, file]));
  const names = shortNames(files.keys());
  const title = make('h3');
  const grid = make('ul', { class: 'grid' });
  const select = make('input', { type: 'checkbox', 'aria-label': `Select group ${group.group}`,
    change: () => selection.set([choice], select.checked) });
  const redraw = () => {
    const entries = choice.entries();
    title.textContent = `Group ${group.group}: ${counted(group.files.length, 'file')}, ` +
      (entries.length > 0 ? `${entries.length} can go, ${sumOf(entries)}` : 'none can go');
    grid.replaceChildren(...group.files.map((file) => fileOf(file, choice, names, redraw)));
    select.checked = selection.has(choice);
    if (select.checked) showSelection();
  };
  redraw();
  drawn.set(group.group, { select, choice });
  const pairs = [...exactPairs(group, files), ...group.pairs];
  return make('article', { class: 'group', 'aria-label': `Group ${group.group}` },
    make('div', { class: 'group-head' }, title, make('label', { class: 'check' }, select, 'Select')), grid,
    make('details', { class: 'pairs-of-group' }, make('summary', {}, counted(pairs.length, 'pair')),
      make('ul', { class: 'pairs', 'aria-label': 'Pairs' }, pairs.map((pair) => pairOf(pair, files, names)))));
}

function filter() {
  const { sort, kind, folder } = byId('group-filter').elements;
  return {
    sort: sort.value,
    ...(kind.value && { kind: kind.value }),
    ...(folder.value.trim() && { folder: folder.value.trim() }),
  };
}

// Returns the totals as a sentence.
function totals({ total, files, needless, needless_bytes: bytes, not_compared: rest }) {
  const go = `${grouped(needless)} can go (${sizeText(bytes)})`;
  const sum = `${counted(total, 'group')} with ${counted(files, 'file')}, of which ${go}.`;
  return rest > 0 ? `${sum} ${counted(rest, 'image')} not compared yet: run lookalike duplicates.` : sum;
}

export async function showGroups() {
  drawn.clear();
  byId('group-totals').textContent = '';
  byId('left').replaceChildren();
  await pages(byId('groups'), async (after) => {
    const answer = await getJson('v1/groups', { after, limit: kPage, ...filter() });
    return {
      shown: () => {
        byId('group-totals').textContent = totals(answer);
        byId('select-all').disabled = answer.total === 0;
        return answer.groups.map(groupElement);
      },
      next: answer.next,
    };
  });
}

async function selectAll() {
  const wanted = filter();
  for (let after = 0; after !== null;) {
    const answer = await getJson('v1/groups', { after, limit: kMostPage, ...wanted });
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

async function suggestFolders() {
  const { folders } = await getJson('v1/folders');
  byId('group-folders').replaceChildren(...folders.map(({ path }) => make('option', { value: path })));
}

export function bindGroups(guard) {
  byId('group-filter').addEventListener('change', () => guard(showGroups));
  byId('group-filter').addEventListener('submit', (event) => event.preventDefault());
  byId('group-filter').elements.folder.addEventListener('focus', () => guard(suggestFolders), { once: true });
  byId('select-all').addEventListener('click', () => guard(selectAll));
  byId('export').addEventListener('click', () => download(exported(byId('export-format').value, selection.entries())));
  byId('unselect').addEventListener('click', unselect);
  bindActions(guard, () => selection.entries(), () => {
    unselect();
    return showGroups();
  });
}
