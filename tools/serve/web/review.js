// One group at a time: its pictures large and side by side, what differs in their files marked, and keys to decide.

import { getJson } from './api.js';
import { button, byId, fileLabel, lazyPicture, make, say } from './dom.js';
import { titleOf } from './group.js';
import { comparedGroups, selection } from './groups.js';
import { showLarger } from './larger.js';
import { pairsOf } from './pairs.js';
import { keyOf } from './selection.js';
import { counted, localTime, shortNames, sizeText } from './text.js';

const kMostFiles = 24;  // that are shown large
const kMostPage = 100;
const kLargePx = 1280;
// What is written into files, in the order in which it is shown.
const kFields = { taken: 'Taken', camera: 'Camera', lens: 'Lens', place: 'Place', address: 'Address', rating: 'Rating',
  label: 'Label', title: 'Title', caption: 'Caption', keyword: 'Keywords', person: 'People', region: 'Regions',
  comment: 'Comment', author: 'Author', copyright: 'Copyright', other: 'Other' };

let place = 0;      // of the group in the filtered and sorted list, from 0
let total = 0;      // groups in that list
let group = null;
let choice = null;  // which of its files go
let current = 0;    // the chosen file
let metadata = new Map();  // of the images, by number; null where it cannot be read
let latest = 0;     // the latest visit; answers to others are dropped
const undos = [];   // { choice, going, isSelected } before each decision

function files() {
  return group.files.slice(0, kMostFiles);
}

// Returns what a file says, as a Map from name to text.
function factsOf(file) {
  const facts = new Map([['Pixels', `${file.width} × ${file.height}`], ['Size', sizeText(file.size_bytes)],
    ['File of', localTime(file.modified)]]);
  const entries = metadata.get(file.id)?.entries ?? [];
  for (const [field, name] of Object.entries(kFields)) {
    const texts = entries.filter((entry) => entry.field === field).map(({ text }) => text);
    if (texts.length > 0) facts.set(name, texts.sort().join(', '));
  }
  return facts;
}

// Returns the lists of facts, one a file, with the same names; what is not the same in all is marked.
function factLists() {
  const all = files().map(factsOf);
  const names = ['Pixels', 'Size', 'File of', ...Object.values(kFields)].filter((name) =>
    all.some((facts) => facts.has(name)));
  const differing = new Set(names.filter((name) => new Set(all.map((facts) => facts.get(name))).size > 1));
  return all.map((facts) => make('dl', { class: 'file-facts' }, names.flatMap((name) => [
    make('dt', {}, name, differing.has(name) ? make('span', { class: 'unseen' }, ', differs') : null),
    make('dd', { class: differing.has(name) ? 'differs' : '' }, facts.get(name) ?? '–'),
  ])));
}

// Sets whether the file goes, and selects the group.
function decide(file, goes) {
  if (!choice.canChange(file)) return;
  const going = new Set(choice.going);
  if (!choice.set(file.path, goes)) {
    say('One file of a group must stay.', true);
    return;
  }
  undos.push({ choice, going, isSelected: selection.has(choice) });
  selection.set([choice], true);
  say('');
  draw();
}

function setSelected(isSelected) {
  undos.push({ choice, going: new Set(choice.going), isSelected: !isSelected });
  selection.set([choice], isSelected);
  draw();
}

// Returns the place of a group in the list, whose order may have changed since it was shown; null if it left the list.
async function placeOf(key) {
  for (let after = 0; after !== null;) {
    const answer = await comparedGroups({ after, limit: kMostPage });
    const i = answer.groups.findIndex((one) => keyOf(one) === key);
    if (i >= 0) return after + i;
    after = answer.next;
  }
  return null;
}

// Takes the last decision back, and shows its group.
async function undo() {
  const last = undos.pop();
  if (!last) {
    say('Nothing to undo.');
    return;
  }
  last.choice.going = last.going;
  selection.set([last.choice], last.isSelected);
  if (last.choice.key === choice.key) {
    choice = last.choice;  // another object if the group was not selected meanwhile
    draw();
  } else {
    try {
      const there = await placeOf(last.choice.key);
      if (there !== null) location.hash = `#review=${there}`;
    } catch (error) {
      say(error.message, true);
      return;
    }
  }
  say('Undone.');
}

//   image  the picture of the file
function figureOf(file, i, names, image, facts) {
  const goes = choice.going.has(file.path);
  const state = choice.stateOf(file);
  const name = names.get(file.path);
  const decision = (text, isGo) => button(text, () => {
    current = i;
    decide(file, isGo);
  }, {
    'aria-pressed': String(goes === isGo),
    'aria-label': `${text} ${name}`,
    disabled: !choice.canChange(file) && '',
  });
  return make('li', { class: `large-file ${state}`, 'aria-current': i === current && 'true' },
    button(image, () => showLarger(file.id), { class: 'thumb', 'aria-label': `Show ${name}`,
      focus: () => { mark(i); } }),
    make('div', { class: 'row decisions' }, decision('Keep', false), decision('Go', true),
      make('span', { class: `badge ${state}` }, state)),
    fileLabel(file.path),
    file.reason === null ? null : make('p', { class: 'facts' }, file.reason), facts);
}

// Marks the chosen file.
function mark(i) {
  current = i;
  [...byId('review-files').children].forEach((item, k) => {
    if (k === i) item.setAttribute('aria-current', 'true');
    else item.removeAttribute('aria-current');
  });
}

function focusCurrent() {
  byId('review-files').children[current]?.querySelector('.thumb').focus({ preventScroll: true });
}

// Draws the files; the pictures that are there stay.
function draw() {
  const list = byId('review-files');
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
  const names = shortNames(group.files.map((file) => file.path));
  const facts = factLists();
  const drawn = [...list.querySelectorAll('.thumb img')];
  const images = files().map((file, i) => drawn[i] ?? lazyPicture(file.id, kLargePx));
  byId('review-title').textContent = `Group ${place + 1} of ${total}: ${titleOf(group, choice)}`;
  list.replaceChildren(...files().map((file, i) => figureOf(file, i, names, images[i], facts[i])));
  byId('review-select').checked = selection.has(choice);
  const rest = group.files.length - files().length;
  byId('review-rest').textContent = rest > 0 ? `${counted(rest, 'more file')} of this group: see the list.` : '';
  [...list.querySelectorAll('button')].find((one) => one.getAttribute('aria-label') === focused)
    ?.focus({ preventScroll: true });
}

function step(by) {
  const next = place + by;
  if (next < 0 || next >= total) say(by > 0 ? 'That was the last group.' : 'This is the first group.');
  else location.hash = `#review=${next}`;
}

function choose(by) {
  mark(Math.min(Math.max(current + by, 0), files().length - 1));
  focusCurrent();
  byId('review-files').children[current]?.scrollIntoView({ block: 'nearest' });
}

// value: the place of the group in the list.
export async function showReview(value) {
  const visit = ++latest;
  group = null;
  byId('review-files').replaceChildren();
  byId('review-pairs').replaceChildren();
  byId('review-title').textContent = 'Review';
  const wanted = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  let answer = await comparedGroups({ after: wanted, limit: 1 });
  if (answer.groups.length === 0 && answer.total > 0) {  // the list became shorter
    answer = await comparedGroups({ after: answer.total - 1, limit: 1 });
  }
  if (visit !== latest) return;
  total = answer.total;
  place = Math.min(wanted, Math.max(total - 1, 0));
  if (total === 0) {
    byId('review-title').textContent = 'No group is left.';
    return;
  }
  [group] = answer.groups;
  choice = selection.choiceOf(group);
  current = 0;
  metadata = new Map();
  draw();
  byId('review-pairs').replaceChildren(pairsOf(group, shortNames(group.files.map((file) => file.path))));
  focusCurrent();
  const images = [...new Set(files().map((file) => file.id))];
  const found = await Promise.all(images.map((id) => getJson(`v1/images/${id}/metadata`).catch(() => null)));
  if (visit !== latest) return;
  metadata = new Map(images.map((id, i) => [id, found[i]]));
  draw();
}

const kKeys = {
  ArrowLeft: () => choose(-1),
  ArrowRight: () => choose(1),
  k: () => decide(files()[current], false),
  g: () => decide(files()[current], true),
  n: () => step(1),
  p: () => step(-1),
  s: () => setSelected(!selection.has(choice)),
  u: undo,
};

export function bindReview() {
  document.addEventListener('keydown', (event) => {
    const act = kKeys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || !group || byId('review').hidden || !byId('review-keys').checked) return;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (event.target.closest('select, textarea, input:not([type=checkbox])')) return;
    event.preventDefault();
    act();
  });
  byId('review-previous').addEventListener('click', () => step(-1));
  byId('review-next').addEventListener('click', () => step(1));
  byId('review-undo').addEventListener('click', () => group && undo());
  byId('unselect').addEventListener('click', () => group && !byId('review').hidden && draw());
  byId('review-select').addEventListener('change', () => group && setSelected(byId('review-select').checked));
}
