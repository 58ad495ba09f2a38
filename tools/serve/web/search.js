// The first view: a photo or an indexed image, and what it, or a part of it, shows.

import { getJson, postJson, thumbnailOf } from './api.js';
import { baseName, byId, fileLabel, make, otherFiles, percent, say, shortNames, showThumbnail, thumbnail } from './dom.js';
import { Picture } from './picture.js';
import { rejectButton } from './rejection.js';

let photo = null;    // the file to look up; null for an indexed image
let image = null;    // the number of the indexed image to look up
let lastPhoto = null;
let region = null;   // the part to look up; null for all
let picture = null;  // null if it cannot be shown
let latest = 0;      // the latest query; answers to others are dropped
let shown = 0;       // the latest picture, likewise

function options() {
  const parameters = {};
  if (byId('mirror').checked && photo) parameters.mirror = true;
  if (byId('all').checked) parameters.all = true;
  return parameters;
}

function summary(answer) {
  const sure = answer.matches.filter((match) => ['duplicate', 'variant', 'same_object'].includes(match.decision)).length;
  const parts = answer.matches.filter((match) => match.decision === 'part').length;
  if (sure > 0) return `${sure} found`;
  if (parts > 0) return `${parts} found by a part`;
  return answer.matches.length > 0 ? 'Nothing sure found' : 'Nothing found';
}

// content: the content hash of the photo looked up.
function rejection(match, name, content) {
  const mark = make('span', { class: 'facts' }, 'rejected');
  const changed = (isRejected) => { mark.hidden = !isRejected; };
  return make('div', { class: 'row' }, mark,
    rejectButton({ a: content, b: match.id, names: `this photo and ${name}`, isRejected: true, changed }));
}

function card(match, number, name, content) {
  const kind = match.decision;
  const facts = match.decision === 'related'
    ? [`shows what ${match.via.map((image) => baseName(image.path)).join(', and that what ')} shows`]
    : [`probability ${percent(match.probability)}`, `${match.inliers} inliers`];
  if (match.correlation !== null) facts.push(`correlation ${match.correlation.toFixed(2)}`);
  if (match.mirrored) facts.push('mirrored');
  if (match.gone.includes(match.path)) facts.push('file is gone');
  return make('li', { class: 'card' },
    thumbnail(match.id, name),
    make('div', { class: 'text' },
      make('div', {}, `${number}. `, make('span', { class: `badge ${kind}` }, kind.replace('_', ' '))),
      fileLabel(match.path),
      make('p', { class: 'facts' }, facts.join(' · ')),
      otherFiles(match.path, match.paths, match.gone),
      match.rejected ? rejection(match, name, content) : null));
}

function show(answer) {
  const outlines = [];
  const names = shortNames(answer.matches.map((match) => match.path));
  const cards = answer.matches.map((match, i) => {
    const element = card(match, i + 1, names.get(match.path), answer.content);
    if (!match.quad) return element;
    const place = outlines.length;
    outlines.push({ quad: match.quad, kind: match.decision, label: String(i + 1) });
    const choose = (chosen) => () => {
      picture?.choose(chosen);
      element.classList.toggle('chosen', chosen >= 0);
    };
    for (const event of ['mouseenter', 'focusin']) element.addEventListener(event, choose(place));
    for (const event of ['mouseleave', 'focusout']) element.addEventListener(event, choose(-1));
    return element;
  });
  byId('matches').replaceChildren(...cards);
  picture?.showOutlines(outlines);
  say(`${summary(answer)}.${picture ? '' : ' The photo cannot be shown.'}`);
}

// Runs ask(), and shows its answer unless a later query came.
async function look(ask) {
  const mine = ++latest;
  say('Looking …');
  byId('matches').replaceChildren();
  picture?.showOutlines([]);
  byId('matches').setAttribute('aria-busy', 'true');
  try {
    const answer = await ask();
    if (mine === latest) show(answer);
  } catch (error) {
    if (mine !== latest) return;
    if (error.status === 401) throw error;
    say(error.message, true);
  } finally {
    if (mine === latest) byId('matches').removeAttribute('aria-busy');
  }
}

// Looks up the region of the photo or the indexed image, or all of it.
function lookUp() {
  const parameters = options();
  if (region) parameters.region = [region.x, region.y, region.width, region.height].join();
  const subject = photo;
  if (!subject) return look(() => getJson('/v1/query', { id: image, ...parameters }));
  return look(() => postJson('/v1/query', parameters, subject));
}

function chooseRegion(chosen) {
  region = chosen;
  const form = byId('region-form');
  for (const name of ['x', 'y', 'width', 'height']) form.elements[name].value = region ? region[name] : '';
  picture?.showRegion(region);
}

// subject: elements that name what to look up.
function present(...subject) {
  byId('result').hidden = false;
  byId('subject').replaceChildren(...subject.filter(Boolean));
  byId('photo').replaceChildren(...(picture ? [picture.element] : []));
  byId('mirror').disabled = !photo;
  byId('mirror-note').hidden = Boolean(photo);
  chooseRegion(null);
  picture?.allowDrawing((drawn) => {
    chooseRegion(drawn);
    lookUp();
  });
}

// Clears the view; drops answers under way.
function clear() {
  ++latest;
  ++shown;
  photo = image = picture = null;
  byId('matches').removeAttribute('aria-busy');
  byId('result').hidden = true;
  byId('mirror').disabled = false;
  byId('mirror-note').hidden = true;
}

async function loaded(blob) {
  const url = URL.createObjectURL(blob);
  const shot = make('img', { src: url, alt: 'The photo, with the outlines of matches' });
  try {
    await shot.decode();
    return shot;
  } finally {
    URL.revokeObjectURL(url);
  }
}

// Has the server read a format that this browser cannot show; null if the server cannot read it.
async function pictureOf(file) {
  try {
    const shot = await loaded(file);
    return new Picture(shot, shot.naturalWidth, shot.naturalHeight);
  } catch {
    say('Looking …');
  }
  try {
    const { blob, width, height } = await thumbnailOf(file, 1280);
    return new Picture(await loaded(blob), width, height);
  } catch (error) {
    if (error.status === 401) throw error;
    return null;  // the answer to the query says why
  }
}

async function searchPhoto(file) {
  const asked = ++shown;
  const drawn = await pictureOf(file);
  if (asked !== shown) return null;  // a later choice replaced it
  photo = file;
  picture = drawn;
  present(make('h3', { class: 'name' }, file.name));
  return lookUp();
}

// Takes a photo that was chosen, dropped on any view or pasted.
function takePhoto(file, guard) {
  lastPhoto = file;
  if (location.hash === '#search') {
    guard(() => searchPhoto(file));
  } else {
    photo = null;
    location.hash = '#search';  // looks up the last photo
  }
}

async function indexedImage(id) {
  try {
    if (!/^\d+$/.test(id)) throw new Error(`${id || 'Nothing'} is not the number of an image.`);
    return await getJson(`/v1/images/${id}`);
  } catch (error) {
    clear();
    throw error;
  }
}

export async function searchImage(id) {
  photo = null;
  picture = null;
  image = id;
  const asked = ++shown;
  const { width, height, paths } = await indexedImage(id);
  if (asked !== shown) return null;  // a later choice replaced it
  const shot = make('img', { width, height, alt: `${baseName(paths[0])}, with the outlines of matches` });
  showThumbnail(shot, id, 1280);
  picture = new Picture(shot, width, height);
  present(fileLabel(paths[0], 'h3'), otherFiles(paths[0], paths));
  byId('subject').focus();  // the link that led here is gone
  return lookUp();
}

// Shows the view without an image: the photo looked up before, if any.
export function searchLastPhoto() {
  if (photo) return null;
  clear();
  return lastPhoto && searchPhoto(lastPhoto);
}

export function startSearch(guard) {
  // Allows choosing the same file again.
  byId('file').addEventListener('click', (event) => { event.target.value = ''; });
  byId('file').addEventListener('change', (event) => {
    const [file] = event.target.files;
    if (file) takePhoto(file, guard);
  });
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('dragging');
  });
  document.addEventListener('dragleave', () => document.body.classList.remove('dragging'));
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dragging');
    const [file] = event.dataTransfer.files;
    if (file) takePhoto(file, guard);
  });
  document.addEventListener('paste', (event) => {
    const [file] = event.clipboardData.files;
    if (file) takePhoto(file, guard);
  });
  for (const option of ['mirror', 'all']) {
    byId(option).addEventListener('change', () => {
      if (!byId('result').hidden) guard(lookUp);
    });
  }
  byId('region-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const { x, y, width, height } = event.target.elements;
    chooseRegion({ x: +x.value, y: +y.value, width: +width.value, height: +height.value });
    guard(lookUp);
  });
  byId('whole').addEventListener('click', () => {
    chooseRegion(null);
    guard(lookUp);
  });
}
