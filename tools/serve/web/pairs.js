// The pairs of a group: each can be compared closely, and rejected.

import { hasServer } from './api.js';
import { Comparison } from './compare.js';
import { button, make, showThumbnail } from './dom.js';
import { Picture } from './picture.js';
import { rejectButton } from './rejection.js';
import { counted, percent } from './text.js';

function comparisonOf(pair, first, second, names) {
  const image = make('img', { alt: names.get(second.path) });
  showThumbnail(image, second.id, 1280);
  const picture = new Picture(image, second.width, second.height);
  const places = pair.difference?.places ?? [];
  const differences = places.map((quad) => ({ quad, kind: 'difference' }));
  picture.showOutlines([{ quad: pair.outline, kind: pair.kind }, ...differences]);
  const comparison = new Comparison(picture);
  comparison.show({ id: first.id, name: names.get(first.path), quad: pair.outline });
  return comparison.element;
}

function pairOf(pair, files, names) {
  const [first, second] = [files.get(pair.first), files.get(pair.second)];
  const both = `${names.get(pair.first)} and ${names.get(pair.second)}`;
  const isExact = pair.kind === 'exact';
  const show = button('Compare', () => {
    const isOpen = show.getAttribute('aria-expanded') === 'true';
    if (isOpen) row.lastChild.remove();
    else row.append(comparisonOf(pair, first, second, names));
    show.setAttribute('aria-expanded', String(!isOpen));
  }, { 'aria-expanded': 'false', 'aria-label': `Compare ${both}` });
  const kind = isExact ? 'exact, the same bytes' : `${pair.kind}, ${percent(pair.probability)}`;
  const text = `${both}: ${kind}${pair.joint ? ', joins two parts' : ''}`;
  const row = make('li', {}, make('div', { class: 'row' }, make('span', { class: 'names' }, text), show,
    isExact || !hasServer ? null : rejectButton({ a: first.id, b: second.id, names: both, isRejected: false })));
  return row;
}

// Returns the pairs of files with the same bytes, in the form of the others.
function exactPairs(group, files) {
  return group.files.filter((file) => file.kind === 'exact' && file.of !== null).map((file) => {
    const { width, height } = files.get(file.of);
    return { first: file.path, second: file.of, kind: 'exact',
      outline: [[0, 0], [width, 0], [width, height], [0, height]] };
  });
}

// Returns what is folded open to show the pairs. names: of the files, by path.
export function pairsOf(group, names) {
  const files = new Map(group.files.map((file) => [file.path, file]));
  const pairs = [...exactPairs(group, files), ...group.pairs];
  return make('details', {}, make('summary', {}, counted(pairs.length, 'pair')),
    make('ul', { class: 'pairs', 'aria-label': 'Pairs' }, pairs.map((pair) => pairOf(pair, files, names))));
}
