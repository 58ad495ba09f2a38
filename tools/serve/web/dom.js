// Makes elements from plain values. Text never becomes HTML.

import { getThumbnail } from './api.js';
import { baseName, folderName, localTime } from './text.js';

const kSvg = 'http://www.w3.org/2000/svg';

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function make(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function makeSvg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(kSvg, tag), properties, children);
}

// Makes a button; `press` is called with the event.
export function button(text, press, properties = {}) {
  return make('button', { type: 'button', click: press, ...properties }, text);
}

export function byId(id) {
  return document.getElementById(id);
}

export function setHidden(id, isHidden) {
  byId(id).hidden = isHidden;
}

// more: elements behind the text.
export function say(text, isError = false, ...more) {
  const status = byId('status');
  status.replaceChildren(text, ...more);
  status.classList.toggle('error', isError);
}

// Returns nodes of a path that lines may break behind each slash.
function wrapped(path) {
  return path.split(/(?<=\/)/).flatMap((part) => [part, make('wbr')]).slice(0, -1);
}

// Shows the name of a file, and below it the folder.
export function fileLabel(path, tag = 'div') {
  return make('div', { class: 'path' }, make(tag, { class: 'name' }, baseName(path)),
    make('div', { class: 'folder' }, wrapped(folderName(path))));
}

// Shows the other files of an image, if any.
export function otherFiles(path, paths, gone = []) {
  if (paths.length < 2) return null;
  const entry = (other) => make('li', {}, wrapped(other), gone.includes(other) ? ' (gone)' : null);
  return make('details', { class: 'facts' }, make('summary', {}, `in ${paths.length} files`),
    make('ul', {}, paths.filter((other) => other !== path).map(entry)));
}

// Shows when and by which camera a picture was taken, as far as its file says.
export function originLine({ taken, camera }) {
  const facts = [taken && `taken ${localTime(taken)}`, camera].filter(Boolean);
  return facts.length > 0 ? make('p', { class: 'facts origin' }, facts.join(' · ')) : null;
}

// Copies a text. Returns false if the browser does not allow it.
async function copy(text) {
  if (await navigator.clipboard?.writeText(text).then(() => true, () => false)) return true;
  // Without TLS, browsers know the old way alone.
  const field = make('textarea', { class: 'unseen', 'aria-hidden': 'true' });
  field.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  return isDone;
}

// Makes a button that copies a path.
export function copyButton(path) {
  const copier = button('Copy path', async () => {
    const isDone = await copy(path);
    copier.textContent = isDone ? 'Copied' : 'Copy path';
    say(isDone ? 'The path is copied.' : `The browser does not allow copying: ${path}`, !isDone);
  }, { 'aria-label': `Copy path of ${baseName(path)}` });
  return copier;
}

// Shows a blob, or what a data: URL holds, in an image.
export async function showBlob(image, blob) {
  const url = typeof blob === 'string' ? blob : URL.createObjectURL(blob);
  image.src = url;
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(url);
  }
}

// Requests thumbnails when they come into view. Beyond a number of them, those that came first and are out of view give
// their memory back.
const kMostPictures = 400;
const pictures = new Set();

function isNear(image) {
  const { top, bottom } = image.getBoundingClientRect();
  return bottom > -innerHeight && top < 2 * innerHeight && bottom !== top;
}

function giveBack() {
  for (const image of pictures) {
    if (pictures.size <= kMostPictures) return;
    if (isNear(image)) continue;
    pictures.delete(image);
    image.removeAttribute('src');
    if (image.isConnected) seen.observe(image);
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    pictures.add(target);
    showThumbnail(target, target.dataset.image, target.dataset.side);
  }
  giveBack();
}, { rootMargin: '300px' });

// Returns why a picture of an indexed image cannot be shown.
export function missingText(error) {
  return `no picture: ${error.message}`;
}

export async function showThumbnail(image, id, side) {
  try {
    await showBlob(image, await getThumbnail(id, side));
  } catch (error) {
    image.alt = missingText(error);
  }
}

// Returns the picture of an indexed image, which is requested when it comes into view.
//   side  the longest one, px
export function lazyPicture(id, side = 320) {
  const image = make('img', { alt: '', 'data-image': id, 'data-side': side });
  seen.observe(image);
  return image;
}

// Links to the search by an indexed image.
export function thumbnail(id, name) {
  return make('a', { class: 'thumb', href: `#image=${id}`, 'aria-label': `Search by ${name}` }, lazyPicture(id));
}
