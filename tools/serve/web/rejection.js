// Rejects a pair of images, and takes that back.

import { getJson, postJson } from './api.js';
import { make, say } from './dom.js';

// Makes a button that rejects and takes back in turn. a, b: numbers or contents of the images; names: the pair for
// people. Calls changed(isRejected) after each change.
export function rejectButton({ a, b, names, isRejected, changed = () => {} }) {
  const button = make('button', { type: 'button' });
  const show = () => {
    button.textContent = isRejected ? 'Undo' : 'Reject';
    button.setAttribute('aria-label', `${isRejected ? 'Undo: reject' : 'Reject'} ${names}`);
  };
  button.addEventListener('click', async () => {
    try {
      if (isRejected) await getJson('v1/rejections', { a, b }, { method: 'DELETE' });
      else await postJson('v1/rejections', {}, JSON.stringify({ a, b }));
      isRejected = !isRejected;
      show();
      changed(isRejected);
      say(isRejected ? `${names} will stay apart.` : `${names} may be in one group again.`);
    } catch (error) {
      say(error.message, true);
    }
  });
  show();
  return button;
}
