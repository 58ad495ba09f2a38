// The other views: groups, images, runs, quarantine.

import { getJson, postJson } from './api.js';
import { baseName, byId, make, percent, say, showThumbnail, table, thumbnail } from './dom.js';
import { Picture } from './picture.js';

function megabytes(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function filesText(count) {
  return `${count} ${count === 1 ? 'file' : 'files'}`;
}

const visits = new Map();  // the last one, by section

// Fills the list of a section page by page: load(after) returns { elements, next }, and perhaps { summary }, which is
// said, and { head }, which stands above the list.
async function pages(section, load) {
  const list = section.querySelector('.list');
  const more = section.querySelector('.more');
  const visit = {};  // answers to an earlier visit of the section are dropped
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

function fileOfGroup(file) {
  const facts = [file.kind, `${file.width} × ${file.height}`, megabytes(file.size_bytes)].filter(Boolean);
  return make('li', {},
    thumbnail(file.id, baseName(file.path)),
    make('div', {}, make('span', { class: `badge ${file.proposal}` }, file.proposal)),
    make('div', { class: 'path', title: file.path }, baseName(file.path)),
    make('p', { class: 'facts' }, facts.join(' · ')));
}

function comparison(pair, first, second) {
  const pictureOf = (file) => {
    const image = make('img', { width: file.width, height: file.height, alt: baseName(file.path) });
    showThumbnail(image, file.id, 960);
    return new Picture(image, file.width, file.height);
  };
  const other = pictureOf(second);
  other.showOutlines([{ quad: pair.outline, kind: pair.kind }]);
  return make('div', { class: 'compare' }, pictureOf(first).element, other.element);
}

function pairOfGroup(pair, files) {
  const [first, second] = [files.get(pair.first), files.get(pair.second)];
  const names = `${baseName(pair.first)} and ${baseName(pair.second)}`;
  const reject = make('button', { type: 'button', 'aria-label': `Reject ${names}` }, 'Reject');
  const show = make('button', { type: 'button', 'aria-expanded': 'false', 'aria-label': `Compare ${names}` }, 'Compare');
  const row = make('li', {}, make('div', { class: 'row' },
    make('span', { class: 'names' }, `${names}: ${pair.kind}, ${percent(pair.probability)}`), show, reject));
  show.addEventListener('click', () => {
    const isOpen = show.getAttribute('aria-expanded') === 'true';
    if (isOpen) row.lastChild.remove();
    else row.append(comparison(pair, first, second));
    show.setAttribute('aria-expanded', String(!isOpen));
  });
  let isRejected = false;
  reject.addEventListener('click', async () => {
    const ids = { a: first.id, b: second.id };
    try {
      if (isRejected) await getJson('/v1/rejections', ids, { method: 'DELETE' });
      else await postJson('/v1/rejections', {}, JSON.stringify(ids));
      isRejected = !isRejected;
      reject.textContent = isRejected ? 'Undo' : 'Reject';
      reject.setAttribute('aria-label', `${isRejected ? 'Undo: reject' : 'Reject'} ${names}`);
      say(isRejected ? `${names} will stay apart.` : `${names} may be in one group again.`);
    } catch (error) {
      say(error.message, true);
    }
  });
  return row;
}

function groupElement(group) {
  const files = new Map(group.files.map((file) => [file.path, file]));
  const needless = group.files.filter((file) => file.proposal === 'go').length;
  return make('article', { class: 'group', 'aria-label': `Group ${group.group}` },
    make('h3', {}, `Group ${group.group}: ${group.files.length} files, ${needless} need not stay`),
    make('ul', { class: 'grid' }, ...group.files.map(fileOfGroup)),
    make('ul', { class: 'pairs', 'aria-label': 'Pairs' },
      ...group.pairs.map((pair) => pairOfGroup(pair, files))));
}

export async function showGroups() {
  await pages(byId('groups'), async (after) => {
    const answer = await getJson('/v1/groups', { after, limit: 20 });
    const rest = answer.not_compared > 0
      ? ` Not compared yet: ${answer.not_compared}; run lookalike duplicates.` : '';
    return {
      summary: `${answer.total} groups.${rest}`,
      elements: answer.groups.map(groupElement),
      next: answer.next,
    };
  });
}

function imageOfList(image) {
  return make('li', {},
    thumbnail(image.id, baseName(image.path)),
    make('div', { class: 'path', title: image.path }, baseName(image.path)),
    make('p', { class: 'facts' }, `${image.width} × ${image.height}${image.blank ? ' · blank' : ''}`));
}

function folderLink(path, text) {
  return make('a', { href: `#folder=${encodeURIComponent(path)}`, title: path }, text);
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
      summary: `${answer.total} images.`,
      head,
      elements: answer.images.map(imageOfList),
      next: answer.next,
    };
  });
}

// Where a folder is, and the folders in it.
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
  return [crumbs, make('ul', { class: 'subfolders', 'aria-label': 'Folders' }, ...folders.map((folder) =>
    make('li', {}, folderLink(folder.path, baseName(folder.path)),
      make('span', { class: 'facts' }, filesText(folder.files)))))];
}

export async function showFolder(path) {
  const section = byId('images');
  await pages(section, async (after) => {
    const answer = await getJson('/v1/folder', after === 0 ? { path, limit: 60 } : { path, after, limit: 60 });
    const page = { elements: answer.images.map(imageOfList), next: answer.next };
    if (after !== 0) return page;
    const below = answer.folders.length > 0 ? ', with those in its folders' : '';
    return { summary: `${filesText(answer.files)}${below}.`, head: headOfFolder(answer), ...page };
  });
  // The link that led here is gone.
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
  say(`${runs.length} runs.`);
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
    return { summary: total > 0 ? `${total} files.` : 'No file had to be set aside.', elements, next };
  });
}
