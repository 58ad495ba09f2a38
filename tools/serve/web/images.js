// The images of the index: all, filtered and sorted, or by folder.

import { getJson } from './api.js';
import { button, byId, fileLabel, lazyPicture, make, say } from './dom.js';
import { suggestFolders } from './folder_input.js';
import { showLarger } from './larger.js';
import { pages } from './pages.js';
import { baseName, counted, decodedValue, localDay, localTime } from './text.js';

const kPage = 60;

// Names the folder if the images come from several.
function imageOf(image, showsFolder) {
  const name = showsFolder ? image.path : baseName(image.path);
  return make('li', {},
    button(lazyPicture(image.id), () => showLarger(image.id), { class: 'thumb', 'aria-label': `Show ${name}` }),
    showsFolder ? fileLabel(image.path) : make('div', { class: 'path' }, baseName(image.path)),
    make('p', { class: 'facts date' },
      image.taken ? `taken ${localDay(image.taken)}` : `file of ${localDay(image.modified)}`),
    make('p', { class: 'facts' }, `${image.width} × ${image.height}${image.blank ? ' · blank' : ''}`));
}

function folderLink(path, text) {
  return make('a', { href: `#folder=${encodeURIComponent(path)}` }, text);
}

// Requests a page of images, and again while the server reads when photos were taken. Returns the last answer.
async function listed(parameters) {
  const place = location.hash;
  for (;;) {
    const answer = await getJson('v1/images', parameters);
    if (answer.unread_dates === 0 || location.hash !== place) return answer;
    say(`Reading when photos were taken: ${counted(answer.unread_dates, 'file')} left …`);
  }
}

// parameters: of the filter; none for all images. head() returns what stands above the list.
async function showFiltered(parameters, head) {
  await pages(byId('images'), async (after) => {
    const answer = await listed({ after, limit: kPage, ...parameters });
    const isFiltered = Object.keys(parameters).length > 0;
    return {
      summary: `${counted(answer.total, isFiltered ? 'file' : 'image')}${isFiltered ? ' found' : ''}.`,
      head: after === 0 ? await head() : undefined,
      elements: answer.images.map((image) => imageOf(image, true)),
      next: answer.next,
    };
  });
}

function rootEntry({ path, files, present, last_scan: scan }) {
  const facts = [counted(files, 'file'), scan ? `scanned ${localTime(scan)}` : 'never scanned'];
  if (!present) facts.push('not there now');
  return make('li', {}, folderLink(path, path), make('span', { class: 'facts' }, facts.join(' · ')));
}

function folderEntry(folder) {
  return make('li', {}, folderLink(folder.path, baseName(folder.path)),
    make('span', { class: 'facts' }, counted(folder.files, 'file')));
}

const kFilters = ['name', 'folder', 'from', 'to', 'sort'];  // in the order of the address

// Shows in the form what is asked for.
function setFilter(filter) {
  for (const key of kFilters) byId(`${key}-filter`).value = filter[key] ?? '';
}

export async function showImages() {
  setFilter({});
  await showFiltered({}, async () => {
    const { folders } = await getJson('v1/folders');
    return [make('ul', { class: 'subfolders roots', 'aria-label': 'Folders' }, folders.map(rootEntry))];
  });
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
    make('ol', { class: 'crumbs' }, way.map((step) => make('li', {}, step))));
  if (folders.length === 0) return [crumbs];
  return [crumbs, make('ul', { class: 'subfolders', 'aria-label': 'Folders' }, folders.map(folderEntry))];
}

export async function showFolder(path) {
  const section = byId('images');
  setFilter({ folder: path });
  let subfolders = null;  // this visit's list
  await pages(section, async (after) => {
    const answer = await getJson('v1/folder', { path, ...(after !== 0 && { after }), limit: kPage });
    const page = { elements: answer.images.map((image) => imageOf(image, false)), next: answer.next };
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

// place: "NAME/FOLDER/FROM/TO/SORT", each encoded; those at the end may be missing.
export async function showNamed(place) {
  const values = place.split('/').map(decodedValue);
  const filter = Object.fromEntries(kFilters.map((key, i) => [key, values[i]]).filter(([, value]) => value));
  const { folder } = filter;
  setFilter(filter);
  const link = folder?.startsWith('/') ? folderLink(folder, `All of ${folder}`)
    : make('a', { href: '#images' }, 'All images');
  await showFiltered(filter, () => [make('p', {}, link)]);
}

// Returns the address of what the form asks for: a folder alone is opened.
function placeOfForm() {
  const values = kFilters.map((key) => byId(`${key}-filter`).value.trim());
  const [name, folder, ...others] = values;
  const isFolderAlone = !name && others.every((value) => !value);
  if (isFolderAlone && !folder) return '#images';
  if (isFolderAlone && folder.startsWith('/')) return `#folder=${encodeURIComponent(folder)}`;
  return `#named=${values.map(encodeURIComponent).join('/').replace(/\/+$/, '')}`;
}

export function bindImages() {
  const show = () => { location.hash = placeOfForm(); };
  byId('filter-form').addEventListener('submit', (event) => {
    event.preventDefault();
    show();
  });
  byId('sort-filter').addEventListener('change', show);
  suggestFolders(byId('folder-filter'), byId('image-folders'));
}
