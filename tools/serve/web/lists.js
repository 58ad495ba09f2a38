// The other views: groups, rejected pairs, images, runs, quarantine.

import { getJson } from './api.js';
import { baseName, byId, fileLabel, make, percent, say, shortNames, showThumbnail, table, thumbnail } from './dom.js';
import { Picture } from './picture.js';
import { rejectButton } from './rejection.js';

function megabytes(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const visits = new Map();  // the latest visit, by section

// Fills the list of a section page by page: load(after) returns { elements, next } and optionally { summary }, which
// is announced, and { head }, which stands above the list.
async function pages(section, load) {
  const list = section.querySelector('.list');
  const more = section.querySelector('.more');
  const visit = {};  // drops answers to earlier visits
  visits.set(section, visit);
  const add = async (after) => {
    const { summary, head, elements, next } = await load(after);
    if (visits.get(section) !== visit) return;
    if (summary) say(summary);
    if (head) section.querySelector('.head').replaceChildren(...head);
    list.append(...elements);
    more.hidden = next === null;
    more.onclick = () => {
      more.disabled = true;
      add(next).catch((error) => say(error.message, true)).finally(() => { more.disabled = false; });
    };
    elements[0]?.setAttribute('tabindex', '-1');
    if (after !== 0) elements[0]?.focus();
  };
  section.querySelector('.head')?.replaceChildren();
  list.replaceChildren();
  more.hidden = true;
  await add(0);
}

function fileOfGroup(file, names) {
  const related = file.of === null ? null
    : make('p', { class: 'facts relation' }, `${file.kind} of ${names.get(file.of)}`);
  return make('li', {},
    thumbnail(file.id, names.get(file.path)),
    make('div', {}, make('span', { class: `badge ${file.proposal}` }, file.proposal)),
    fileLabel(file.path),
    related,
    file.reason === null ? null : make('p', { class: 'facts' }, file.reason),
    make('p', { class: 'facts' }, `${file.width} × ${file.height} · ${megabytes(file.size_bytes)}`));
}

function comparison(pair, first, second, names) {
  const pictureOf = (file) => {
    const image = make('img', { width: file.width, height: file.height, alt: names.get(file.path) });
    showThumbnail(image, file.id, 960);
    return new Picture(image, file.width, file.height);
  };
  const other = pictureOf(second);
  other.showOutlines([{ quad: pair.outline, kind: pair.kind }]);
  return make('div', { class: 'compare' }, pictureOf(first).element, other.element);
}

function pairOfGroup(pair, files, names) {
  const [first, second] = [files.get(pair.first), files.get(pair.second)];
  const both = `${names.get(pair.first)} and ${names.get(pair.second)}`;
  const show = make('button', { type: 'button', 'aria-expanded': 'false', 'aria-label': `Compare ${both}` }, 'Compare');
  const row = make('li', {}, make('div', { class: 'row' },
    make('span', { class: 'names' }, `${both}: ${pair.kind}, ${percent(pair.probability)}`), show,
    rejectButton({ a: first.id, b: second.id, names: both, isRejected: false })));
  show.addEventListener('click', () => {
    const isOpen = show.getAttribute('aria-expanded') === 'true';
    if (isOpen) row.lastChild.remove();
    else row.append(comparison(pair, first, second, names));
    show.setAttribute('aria-expanded', String(!isOpen));
  });
  return row;
}

function groupElement(group) {
  const files = new Map(group.files.map((file) => [file.path, file]));
  const names = shortNames(files.keys());
  const needless = group.files.filter((file) => file.proposal === 'go').length;
  return make('article', { class: 'group', 'aria-label': `Group ${group.group}` },
    make('h3', {}, `Group ${group.group}: ${group.files.length} files, ${needless} need not stay`),
    make('ul', { class: 'grid' }, ...group.files.map((file) => fileOfGroup(file, names))),
    make('ul', { class: 'pairs', 'aria-label': 'Pairs' },
      ...group.pairs.map((pair) => pairOfGroup(pair, files, names))));
}

export async function showGroups() {
  await pages(byId('groups'), async (after) => {
    const answer = await getJson('/v1/groups', { after, limit: 20 });
    const rest = answer.not_compared > 0
      ? ` Not compared yet: ${answer.not_compared}; run lookalike duplicates.` : '';
    return {
      summary: `${counted(answer.total, 'group')}.${rest}`,
      elements: answer.groups.map(groupElement),
      next: answer.next,
    };
  });
}

// Names an image that the index lacks by its content.
function rejectedFile(id, path, content) {
  if (path === null) return make('div', { class: 'path' }, `not in the index: ${content}`);
  return make('div', { class: 'file' }, thumbnail(id, path), fileLabel(path));
}

function rejectedPair(pair) {
  const names = shortNames([pair.path, pair.other_path].filter(Boolean));
  const both = `${names.get(pair.path) ?? pair.content} and ${names.get(pair.other_path) ?? pair.other_content}`;
  const since = new Date(pair.since_ns / 1e6).toLocaleString();
  return make('li', { class: 'row' },
    rejectedFile(pair.id, pair.path, pair.content),
    rejectedFile(pair.other_id, pair.other_path, pair.other_content),
    make('span', { class: 'facts' }, `since ${since}`),
    rejectButton({ a: pair.content, b: pair.other_content, names: both, isRejected: true }));
}

export async function showRejected() {
  await pages(byId('rejected'), async (after) => {
    const { rejections, total, next } = await getJson('/v1/rejections', { after, limit: 50 });
    return {
      summary: total > 0 ? `${counted(total, 'pair')}.` : 'No pair was rejected.',
      elements: rejections.map(rejectedPair),
      next,
    };
  });
}

// Names the folder if the images come from several.
function imageOfList(image, showsFolder) {
  return make('li', {},
    thumbnail(image.id, showsFolder ? image.path : baseName(image.path)),
    showsFolder ? fileLabel(image.path) : make('div', { class: 'path' }, baseName(image.path)),
    make('p', { class: 'facts' }, `${image.width} × ${image.height}${image.blank ? ' · blank' : ''}`));
}

function folderLink(path, text) {
  return make('a', { href: `#folder=${encodeURIComponent(path)}` }, text);
}

export async function showImages() {
  await pages(byId('images'), async (after) => {
    const answer = await getJson('/v1/images', { after, limit: 60 });
    const { folders } = after === 0 ? await getJson('/v1/folders') : {};
    const nameOf = ({ path, present }) => make('span', {}, folderLink(path, path), present ? '' : ' (missing)');
    const head = folders && [table([
      { name: 'Folder', of: nameOf },
      { name: 'Files', of: (folder) => folder.files, isNumber: true },
      { name: 'Last scan', of: (folder) => folder.last_scan ?? 'never' },
    ], folders)];
    return {
      summary: `${counted(answer.total, 'image')}.`,
      head,
      elements: answer.images.map((image) => imageOfList(image, true)),
      next: answer.next,
    };
  });
}

function folderEntry(folder) {
  return make('li', {}, folderLink(folder.path, baseName(folder.path)),
    make('span', { class: 'facts' }, counted(folder.files, 'file')));
}

// Shows where a folder is, and its folders.
function headOfFolder({ path, ancestors, folders }) {
  const names = [...ancestors, path].map((folder, i) => (i === 0 ? folder : baseName(folder)));
  const way = [
    make('a', { href: '#images' }, 'All images'),
    ...ancestors.map((folder, i) => folderLink(folder, names[i])),
    make('span', { 'aria-current': 'page', tabindex: -1 }, names.at(-1)),
  ];
  const crumbs = make('nav', { 'aria-label': 'Folders above' },
    make('ol', { class: 'crumbs' }, ...way.map((step) => make('li', {}, step))));
  if (folders.length === 0) return [crumbs];
  return [crumbs, make('ul', { class: 'subfolders', 'aria-label': 'Folders' }, ...folders.map(folderEntry))];
}

export async function showFolder(path) {
  const section = byId('images');
  let subfolders = null;  // this visit's list
  await pages(section, async (after) => {
    const answer = await getJson('/v1/folder', after === 0 ? { path, limit: 60 } : { path, after, limit: 60 });
    const page = { elements: answer.images.map((image) => imageOfList(image, false)), next: answer.next };
    if (after !== 0) {
      const entries = answer.folders.map(folderEntry);
      subfolders?.append(...entries);
      if (page.elements.length === 0) entries[0]?.querySelector('a').focus();
      return page;
    }
    const head = headOfFolder(answer);
    [, subfolders] = head;
    const below = answer.folders.length > 0 ? ', with those in its folders' : '';
    return { summary: `${counted(answer.files, 'file')}${below}.`, head, ...page };
  });
  // Moves the focus: the link that led here is gone.
  if (document.activeElement === document.body) section.querySelector('.crumbs [aria-current]')?.focus();
}

function outcomeOf(run) {
  if (!run.report) return '';
  if (run.report.error) return run.report.error;
  return Object.entries(run.report.files ?? {}).filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`).join(', ');
}

export async function showRuns() {
  const { runs } = await getJson('/v1/runs', { limit: 100 });
  say(`${counted(runs.length, 'run')}.`);
  byId('runs').querySelector('.list').replaceChildren(table([
    { name: 'Started', of: (run) => run.started },
    { name: 'Command', of: (run) => run.command },
    { name: 'Outcome', of: (run) => run.outcome },
    { name: 'Seconds', of: (run) => run.elapsed_seconds.toFixed(1), isNumber: true },
    { name: 'Files', of: outcomeOf },
  ], runs));
}

export async function showQuarantine() {
  await pages(byId('quarantine'), async (after) => {
    const { quarantine, total, next } = await getJson('/v1/quarantine', { after, limit: 200 });
    const elements = quarantine.length > 0 ? [table([
      { name: 'File', of: (file) => file.path },
      { name: 'Reason', of: (file) => file.reason },
      { name: 'Detail', of: (file) => file.detail },
    ], quarantine)] : [];
    return { summary: total > 0 ? `${counted(total, 'file')}.` : 'No file had to be set aside.', elements, next };
  });
}
