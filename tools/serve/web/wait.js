// The state of a question: being prepared, sent or answered, or how it ended.

import { byId, setHidden } from './dom.js';

// Titles and advice by the reason of an error; `isFinal` where trying again cannot help.
const kEnds = {
  offline: { title: 'The server cannot be reached', text: 'Is this device online, and does lookalike serve run?' },
  cut: { title: 'The connection was cut', text: 'The photo did not arrive completely.' },
  stalled: { title: 'The connection stands still', text: 'Nothing could be sent for 20 seconds.' },
  late: { title: 'The answer took too long', text: 'The server may be busy, or the connection slow.' },
  cancelled: { title: 'Cancelled', text: '' },
  busy: { title: 'The server is busy', text: 'Try again in a moment.' },
  large: { title: 'This photo is too large', isFinal: true },
  unreadable: { title: 'This is no image that can be read', isFinal: true },
  other: { title: 'The photo could not be looked up' },
};
const kByStatus = { 413: 'large', 422: 'unreadable', 503: 'busy', 504: 'late' };

function show(shown) {
  for (const id of ['wait', 'failure']) setHidden(id, id !== shown);
}

let answerMs = 65000;
let press = { cancel() {}, again() {} };

// requestSeconds: the server's limit for an answer.
export function limitWaiting(requestSeconds) {
  answerMs = 1000 * (requestSeconds + 5);
}

export function bindWaiting() {
  byId('cancel').addEventListener('click', () => press.cancel());
  byId('again').addEventListener('click', () => press.again());
}

// Shows that a question is under way. Returns what upload() takes as `waiting`.
export function wait() {
  const abort = new AbortController();
  press = { cancel: () => abort.abort(), again() {} };
  show('wait');
  const bar = byId('wait-bar');
  const tell = (text, share) => {
    if (byId('wait-text').textContent !== text) byId('wait-text').textContent = text;
    if (share === undefined) bar.removeAttribute('value');
    else bar.value = share;
  };
  tell('Preparing the photo …');
  return {
    signal: abort.signal,
    answerMs,
    abandon: () => abort.abort(),
    looking: () => tell('Looking …'),
    progress: (share) => (share < 1 ? tell('Sending the photo …', share) : tell('Looking …')),
  };
}

// Returns the same for a question whose progress is not shown.
export function waitQuietly() {
  return { signal: new AbortController().signal, answerMs, progress() {} };
}

export function stopWaiting() {
  show('');
}

// Shows how a question failed, and calls again() to repeat it.
export function showFailure(error, again) {
  show('failure');
  const end = kEnds[error.reason] ?? kEnds[kByStatus[error.status]] ??
    (error.name === 'AbortError' ? kEnds.cancelled : kEnds.other);
  byId('failure-title').textContent = end.title;
  const detail = end.text ?? error.message;
  byId('failure-text').textContent = detail;
  setHidden('again', Boolean(end.isFinal));
  press.again = again;
  if (!end.isFinal) byId('again').focus();
}
