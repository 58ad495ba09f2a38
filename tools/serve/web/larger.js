// A larger view of an indexed image, over the list that it was opened from.

import { getJson } from './api.js';
import { byId, copyButton, fileLabel, make, originLine, otherFiles, say, showThumbnail } from './dom.js';
import { neighboursOf } from './neighbours.js';
import { baseName } from './text.js';

const kSidePx = 1600;

function close() {
  if (byId('larger').open) byId('larger').close();
  byId('larger-content').replaceChildren();
}

// Opens the view; Escape, its button and the way back close it.
export async function showLarger(id) {
  try {
    const { paths, width, height, taken, camera } = await getJson(`v1/images/${id}`);
    if (byId('larger').open) return;  // an earlier tap
    const image = make('img', { width, height, alt: baseName(paths[0]) });
    showThumbnail(image, id, kSidePx);
    byId('larger-content').replaceChildren(...[image, fileLabel(paths[0], 'h3'),
      make('p', { class: 'facts' }, `${width} × ${height}`), originLine({ taken, camera }),
      otherFiles(paths[0], paths),
      make('div', { class: 'row' }, copyButton(paths[0]),
        make('a', { class: 'button', href: `#image=${id}` }, 'Look it up')), neighboursOf(id)].filter(Boolean));
    history.pushState({ ...history.state, isLarger: true }, '');
    byId('larger').showModal();
  } catch (error) {
    say(error.message, true);
  }
}

export function bindLarger() {
  byId('close').addEventListener('click', () => history.back());
  byId('larger').addEventListener('cancel', (event) => {
    event.preventDefault();
    history.back();
  });
  byId('larger').addEventListener('click', (event) => {
    if (event.target === byId('larger')) history.back();
  });
  window.addEventListener('popstate', () => {
    if (byId('larger').open) close();
    else if (history.state?.isLarger) history.back();  // came back to a view that is closed
  });
  window.addEventListener('hashchange', close);
}
