// The rejected pairs.

import { getJson } from './api.js';
import { byId, fileLabel, make, thumbnail } from './dom.js';
import { pages } from './pages.js';
import { rejectButton } from './rejection.js';
import { counted, localTime, shortNames } from './text.js';

// Names an image that the index lacks by its content.
function fileOf(id, path, content) {
  if (path === null) return make('div', { class: 'path' }, `not in the index: ${content}`);
  return make('div', { class: 'file' }, thumbnail(id, path), fileLabel(path));
}

function pairOf(pair) {
  const names = shortNames([pair.path, pair.other_path].filter(Boolean));
  const both = `${names.get(pair.path) ?? pair.content} and ${names.get(pair.other_path) ?? pair.other_content}`;
  return make('li', { class: 'row' },
    fileOf(pair.id, pair.path, pair.content),
    fileOf(pair.other_id, pair.other_path, pair.other_content),
    make('span', { class: 'facts' }, `since ${localTime(pair.since_ns / 1e6)}`),
    rejectButton({ a: pair.content, b: pair.other_content, names: both, isRejected: true }));
}

export async function showRejected() {
  await pages(byId('rejected'), async (after) => {
    const { rejections, total, next } = await getJson('v1/rejections', { after, limit: 50 });
    return {
      summary: total > 0 ? `${counted(total, 'pair')}.` : 'No pair was rejected.',
      elements: rejections.map(pairOf),
      next,
    };
  });
}
