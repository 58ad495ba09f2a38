// The neighbours of an indexed image: those of its group, those in the neighbour graph, and those of the same form.

import { getJson } from './api.js';
import { fileLabel, make, say, thumbnail } from './dom.js';
import { percent } from './text.js';

const kTexts = { neighbour: 'same thing', same_form: 'same form, other content' };

function neighbourOf({ id, path, kind, probability }) {
  const likely = kind === 'exact' || probability === null ? '' : ` · ${percent(probability)}`;
  return make('li', {}, thumbnail(id, path), fileLabel(path),
    make('p', { class: 'facts' }, `${kTexts[kind] ?? kind}${likely}`));
}

// Returns what is folded open to show them. id: number of the image.
export function neighboursOf(id) {
  const list = make('ul', { class: 'grid', 'aria-label': 'Neighbours' });
  const element = make('details', { class: 'neighbours' }, make('summary', {}, 'Neighbours in the index'), list);
  element.addEventListener('toggle', async () => {
    try {
      const { neighbours } = await getJson(`v1/images/${id}/neighbours`);
      list.replaceChildren(...(neighbours.length > 0 ? neighbours.map(neighbourOf)
        : [make('li', { class: 'facts' }, 'none')]));
    } catch (error) {
      say(error.message, true);
    }
  }, { once: true });
  return element;
}
