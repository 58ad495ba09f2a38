// The first view: a photo or an indexed image, and what it, or a part of it, shows.

import { showAnswer } from './answer.js';
import { Comparison } from './compare.js';
import { Crop } from './crop.js';
import { byId, fileLabel, make, originLine, otherFiles, setHidden } from './dom.js';
import { keepPhoto, keptPhoto } from './last.js';
import { neighboursOf } from './neighbours.js';
import { ImageSubject, PhotoSubject } from './subject.js';
import { bindWaiting, showFailure, stopWaiting, wait, waitQuietly } from './wait.js';

let subject = null;     // what is looked up
let comparison = null;  // shows it
let region = null;      // the part to look up; null for all
let lastPhoto = null;   // the last file
let answered = null;    // { subject, region, answer } of the last photo
let latest = 0;         // the latest question; answers to others are dropped
let waiting = null;     // of the question under way
let guard = null;       // runs work and shows the door where the token is missing

function parameters() {
  return {
    ...(byId('mirror').checked && subject.isPhoto && { mirror: true }),
    ...(byId('all').checked && { all: true }),
  };
}

// Ends what is under way.
function abandon() {
  ++latest;
  waiting?.abandon();
  waiting = null;
  stopWaiting();
  byId('answer').removeAttribute('aria-busy');
}

// Shows the picture of the subject, once there is one.
function present() {
  const { picture } = subject;
  comparison = new Comparison(picture);
  byId('comparison').replaceChildren(comparison.element);
  comparison.clear();
  comparison.tools.append(...(picture ? [cropButton()] : []));
}

// Names the subject above its answer, and shows what else the index knows of it below.
function name() {
  const { isPhoto, paths } = subject;
  byId('subject').replaceChildren(...(isPhoto ? [make('h3', { class: 'name' }, subject.name)]
    : [fileLabel(paths[0], 'h3'), originLine(subject)]).filter(Boolean));
  byId('about').replaceChildren(
    ...(isPhoto ? [] : [otherFiles(paths[0], paths), neighboursOf(subject.id)]).filter(Boolean));
}

function showNothing() {
  setHidden('answer', true);
  byId('verdict').textContent = byId('verdict-more').textContent = '';
  for (const id of ['chosen', 'matches', 'unsure', 'crop-tools', 'subject', 'about']) byId(id).replaceChildren();
}

// Decodes the photo and asks, or asks again about another part or with other options. Shows the state of it.
async function lookUp() {
  abandon();
  const mine = latest;
  const isLatest = () => mine === latest;
  const asked = subject;
  const under = wait();
  waiting = under;
  byId('answer').setAttribute('aria-busy', 'true');
  byId('crop-tools').replaceChildren();
  try {
    if (!asked.isOpen) {
      await asked.open();
      if (!isLatest()) return;
      asked.isOpen = true;
      present();
      name();
      if (asked.picture) setHidden('answer', false);
    }
    if (!asked.isPhoto) under.looking();
    const answer = await asked.ask(parameters(), region, under);
    if (!isLatest()) return;
    stopWaiting();
    if (asked.isPhoto) {
      answered = { subject: asked, region, answer };
      keepPhoto(asked.file, region);
    }
    show(answer);
    if (!asked.picture) await drawByServer(asked, answer, isLatest);
  } catch (error) {
    if (!isLatest()) return;
    if (error.status === 401) {
      stopWaiting();
      subject = null;  // is looked up again behind the door
      throw error;
    }
    if (!asked.picture) setHidden('answer', true);
    showFailure(error, () => guard(lookUp));
  } finally {
    if (isLatest()) byId('answer').removeAttribute('aria-busy');
  }
}

function show(answer) {
  const explain = (id) => subject.explain(id, waitQuietly());
  const canExplain = !subject.isPhoto || !region || subject.whole;
  subject.picture?.showRegion(region);
  showAnswer(answer, { subject, comparison, explain: canExplain ? explain : null, part: byId });
  setHidden('answer', false);
  setHidden('whole', region === null);
}

// Shows a photo of a format that this browser lacks; the answer stands already.
async function drawByServer(asked, answer, isLatest) {
  try {
    await asked.openByServer();
  } catch {
    return;  // the answer stands without a picture
  }
  if (!isLatest()) return;
  present();
  show(answer);
}

function cropButton() {
  return make('button', { type: 'button', id: 'crop', click: startCrop }, 'Crop');
}

function startCrop() {
  const { picture } = subject;
  const end = () => {
    crop.layer.remove();
    byId('crop-tools').replaceChildren();
    comparison.element.classList.remove('cropping');
    picture.element.classList.remove('cropping');
  };
  const crop = new Crop(picture, region, {
    done: (chosen) => {
      end();
      region = chosen;
      guard(lookUp);
    },
    cancel: () => {
      end();
      byId('crop').focus();
    },
  });
  comparison.setMode('side');
  comparison.element.classList.add('cropping');
  picture.element.classList.add('cropping');
  picture.element.append(crop.layer);
  byId('crop-tools').replaceChildren(crop.form);
  crop.handles[0].focus();
}

function start(next) {
  abandon();
  showNothing();
  subject = next;
  region = null;
  comparison = null;
  byId('comparison').replaceChildren();
  setHidden('start', subject !== null);
  byId('search').classList.toggle('asked', subject !== null);
  const isPhoto = subject === null || subject.isPhoto;
  byId('mirror').disabled = !isPhoto;
  setHidden('mirror-note', isPhoto);
  setHidden('whole', true);
}

// Takes a photo that was chosen, dropped on any view or pasted.
function takePhoto(file) {
  lastPhoto = file;
  subject = answered = null;
  if (location.hash === '#search') guard(showSearch);
  else location.hash = '#search';  // looks up the last photo
}

export async function searchImage(id) {
  start(new ImageSubject(id));
  await lookUp();
  byId('verdict-line').focus({ preventScroll: true });  // the link that led here is gone
}

// Shows the view without an image: the photo looked up before, if any.
export async function showSearch() {
  if (subject?.isPhoto) return;
  if (answered && answered.subject.file === lastPhoto) {
    start(answered.subject);
    region = answered.region;
    present();
    name();
    show(answered.answer);
    return;
  }
  const chosen = lastPhoto;
  const kept = chosen ? { file: chosen, region: null } : await keptPhoto();
  if (lastPhoto !== chosen || location.hash.startsWith('#image=')) return;  // something else is looked up meanwhile
  lastPhoto = kept?.file ?? null;
  start(lastPhoto && new PhotoSubject(lastPhoto));
  region = kept?.region ?? null;
  if (subject) await lookUp();
}

export function bindSearch(guarded) {
  guard = guarded;
  bindWaiting();
  for (const id of ['file', 'camera']) {
    // Allows choosing the same file again.
    byId(id).addEventListener('click', (event) => { event.target.value = ''; });
    byId(id).addEventListener('change', (event) => {
      const [file] = event.target.files;
      if (file) takePhoto(file);
    });
  }
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('dragging');
  });
  document.addEventListener('dragleave', () => document.body.classList.remove('dragging'));
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dragging');
    const [file] = event.dataTransfer.files;
    if (file) takePhoto(file);
  });
  document.addEventListener('paste', (event) => {
    const [file] = event.clipboardData.files;
    if (file) takePhoto(file);
  });
  for (const option of ['mirror', 'all']) {
    byId(option).addEventListener('change', () => {
      if (subject) guard(lookUp);
    });
  }
  byId('whole').addEventListener('click', () => {
    region = null;
    guard(lookUp);
  });
}
