// Makes elements from plain values. Text never becomes HTML.

import { getThumbnail } from './api.js';

const kSvg = 'http://www.w3.org/2000/svg';

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function make(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function makeSvg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(kSvg, tag), properties, children);
}

export function byId(id) {
  return document.getElementById(id);
}

export function say(text, isError = false) {
  const status = byId('status');
  status.textContent = text;
  status.classList.toggle('error', isError);
}

export function baseName(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

function folderName(path) {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

// Shows the name of a file, and below it the folder.
export function fileLabel(path, tag = 'div') {
  return make('div', { class: 'path' }, make(tag, { class: 'name' }, baseName(path)),
    make('div', { class: 'folder' }, folderName(path)));
}

// Shows the other files of an image, if any.
export function otherFiles(path, paths, gone = []) {
  if (paths.length < 2) return null;
  const text = (other) => (gone.includes(other) ? `${other} (gone)` : other);
  return make('details', { class: 'facts' }, make('summary', {}, `in ${paths.length} files`),
    make('ul', {}, ...paths.filter((other) => other !== path).map((other) => make('li', {}, text(other)))));
}

// Shortens each path to the end that tells it from the others. Returns a Map from path to end.
export function shortNames(paths) {
  const all = [...new Set(paths)].map((path) => ({ path, parts: path.split('/'), kept: 1 }));
  const end = ({ parts, kept }) => parts.slice(-kept).join('/');
  for (let changed = true; changed;) {
    changed = false;
    const counts = new Map();
    for (const one of all) counts.set(end(one), (counts.get(end(one)) ?? 0) + 1);
    for (const one of all) {
      if (counts.get(end(one)) === 1 || one.kept === one.parts.length) continue;
      ++one.kept;
      changed = true;
    }
  }
  return new Map(all.map((one) => [one.path, end(one)]));
}

export function percent(probability) {
  return probability > 0.999 ? '> 99.9 %' : `${(100 * probability).toFixed(1)} %`;
}

// column.of() returns a cell: a text, a number or an element.
export function table(columns, rows) {
  const cell = (tag, content, column, more = {}) =>
    make(tag, { class: column.isNumber ? 'number-cell' : null, ...more },
      content instanceof Node ? content : String(content ?? ''));
  const head = make('tr', {}, ...columns.map((column) => cell('th', column.name, column, { scope: 'col' })));
  const body = rows.map((row) =>
    make('tr', {}, ...columns.map((column) => cell('td', column.of(row), column))));
  return make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table' },
    make('table', {}, make('thead', {}, head), make('tbody', {}, ...body)));
}

// Requests thumbnails when they come into view.
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    showThumbnail(target, target.dataset.image, 320);
  }
}, { rootMargin: '300px' });

export async function showThumbnail(image, id, side) {
  try {
    const url = URL.createObjectURL(await getThumbnail(id, side));
    image.addEventListener('load', () => URL.revokeObjectURL(url), { once: true });
    image.src = url;
    await image.decode();
  } catch {
    image.alt = 'no picture: the file is gone or has changed';
  }
}

// Links to the search by an indexed image.
export function thumbnail(id, name) {
  const image = make('img', { alt: '', 'data-image': id });
  seen.observe(image);
  return make('a', { class: 'thumb', href: `#image=${id}`, 'aria-label': `Search by ${name}` }, image);
}
