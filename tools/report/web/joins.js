// Draws two pictures side by side, with lines between the features that are alike.

import { make, makeSvg } from './dom.js';
import { pictureOf } from './embedded.js';
import { counted } from './text.js';

const kMostDrawn = 80;

// Returns at most kMostDrawn lines, spread evenly over the pairs. A feature's whole coordinates are a pixel's centre.
function lines(pairs, scale, left, kind) {
  const drawn = Math.min(kMostDrawn, pairs.length);
  return Array.from({ length: drawn }, (_, i) => pairs[Math.floor((i * pairs.length) / drawn)]).map(
    ({ image: [x1, y1], query: [x2, y2] }) => makeSvg('line', { class: `join ${kind}`, x1: (x1 + 0.5) * scale,
      y1: (y1 + 0.5) * scale, x2: x2 + 0.5 + left, y2: y2 + 0.5 }));
}

function drawnText(pairs) {
  return pairs.length > kMostDrawn ? `, ${kMostDrawn} of them drawn` : '';
}

// Returns null if a picture is missing or no features are alike.
//   photo, image  keys of the pictures
//   pairs         [{ image, query, inlier }], in px of the two
export function joinsOf(photo, image, pairs) {
  const [left, right] = [pictureOf(image), pictureOf(photo)];
  if (!left.url || !right.url || pairs.length === 0) return null;
  const scale = right.height / left.height;
  const start = left.width * scale + 0.02 * right.width;
  const [agree, others] = [true, false].map((inlier) => pairs.filter((pair) => pair.inlier === inlier));
  const text = `${counted(agree.length, 'feature')} ${agree.length === 1 ? 'agrees' : 'agree'}${drawnText(agree)}` +
    (others.length > 0 ? `; ${others.length} more look alike, in grey${drawnText(others)}` : '');
  return make('details', { open: '' }, make('summary', {}, text),
    makeSvg('svg', { class: 'joins', viewBox: `0 0 ${start + right.width} ${right.height}`, role: 'img',
      'aria-label': 'Features that agree, joined by lines' },
    makeSvg('image', { href: left.url, width: left.width * scale, height: right.height }),
    makeSvg('image', { href: right.url, x: start, width: right.width, height: right.height }),
    lines(others, scale, start, 'other'), lines(agree, scale, start, 'inlier')));
}
