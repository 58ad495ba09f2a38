// Shows a photo with numbered outlines over it.

import { make, makeSvg } from './dom.js';

const kLeastApart = 0.09;  // of two numbers, as a share of the photo's longest side

// Cuts a polygon to a rectangle, side by side (Sutherland and Hodgman).
function clipped(points, width, height) {
  const sides = [[0, 0, 1], [0, width, -1], [1, 0, 1], [1, height, -1]];  // axis, limit, direction inside
  return sides.reduce((polygon, [axis, limit, inside]) => {
    const depth = (point) => inside * (point[axis] - limit);
    return polygon.flatMap((point, i) => {
      const before = polygon.at(i - 1);
      const [from, to] = [depth(before), depth(point)];
      const share = from / (from - to);
      const crossing = [0, 1].map((k) => before[k] + share * (point[k] - before[k]));
      if (from < 0 !== to < 0) return to < 0 ? [crossing] : [crossing, point];
      return to < 0 ? [] : [point];
    });
  }, points);
}

export class Picture {
  // image: an <img>; width, height: the photo's size in px, which outlines are in, too.
  constructor(image, width, height) {
    this.image = image;
    this.width = width;
    this.height = height;
    this.svg = makeSvg('svg',
      { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    this.numbers = make('div', { class: 'numbers', 'aria-hidden': 'true' });
    this.element = make('div', { class: 'picture' }, image, this.svg, this.numbers);
    this.element.style.aspectRatio = `${width} / ${height}`;
    this.element.style.setProperty('--ratio', width / height);
    this.groups = [];
    this.region = [];
  }

  // Calls resized() when its size on the page changes, and no earlier function any more.
  watch(resized) {
    this.observer?.disconnect();
    this.observer = new ResizeObserver(resized);
    this.observer.observe(this.element);
  }

  // Marks the part of the photo that the outlines are about; null: all of it.
  showRegion(region) {
    this.region = region ? [makeSvg('rect', { class: 'region', ...region })] : [];
  }

  // outlines: [{ quad, kind, label, isQuiet }], a quiet one seen only when it is chosen. Calls press(i) for a click on
  // the i-th.
  showOutlines(outlines, press = () => {}) {
    const taken = [];
    this.groups = outlines.map(({ quad, kind, label, isQuiet }, i) => {
      const corners = quad && clipped(quad, this.width, this.height);
      if (!corners || corners.length < 3) return [];
      const points = corners.map((corner) => corner.join(',')).join(' ');
      const quiet = isQuiet ? ' quiet' : '';
      const drawn = makeSvg('g', { class: `place${quiet}`, click: () => press(i) },
        makeSvg('polygon', { class: 'halo', points }), makeSvg('polygon', { class: `outline ${kind}`, points }));
      return label ? [drawn, this.number(label, corners, quiet, taken)] : [drawn];
    });
    this.svg.replaceChildren(...this.region, ...this.groups.flatMap(([drawn]) => drawn ?? []));
    this.numbers.replaceChildren(...this.groups.flatMap(([, number]) => number ?? []));
  }

  // Places a number at the first corner that is far from other numbers, from the top left on.
  number(label, corners, quiet, taken) {
    const longest = Math.max(this.width, this.height);
    const ordered = [...corners].sort((a, b) => a[0] + a[1] - b[0] - b[1]);
    const isFree = ([x, y]) => taken.every((at) => Math.hypot(at[0] - x, at[1] - y) > kLeastApart * longest);
    const [x, y] = ordered.find(isFree) ?? ordered[0];
    if (!quiet) taken.push([x, y]);
    const number = make('span', { class: `number${quiet}` }, label);
    const share = [x / this.width, y / this.height];
    number.style.left = `${100 * share[0]}%`;
    number.style.top = `${100 * share[1]}%`;
    // Keeps it inside the photo.
    number.style.transform = `translate(${-100 * share[0]}%, ${-100 * share[1]}%)`;
    return number;
  }

  // Marks the i-th outline; none if it is -1.
  choose(chosen) {
    this.groups.forEach((parts, i) => parts.forEach((part) => part.classList.toggle('chosen', i === chosen)));
  }
}
