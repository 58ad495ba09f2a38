// Shows a photo with numbered outlines over it.

import { make, makeSvg } from './dom.js';

const kLeastApart = 0.09;  // of two numbers, as a share of the photo's longest side
const kInset = [0.15, 0.3, 0.5, 0.75, 1];  // of the way from a corner to the middle, where a number may stand

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

function isInside([x, y], polygon) {
  const sides = polygon.map((to, i) => {
    const from = polygon.at(i - 1);
    return (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]);
  });
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0);
}

// Returns the places inside a polygon where its number may stand, from the top left corner to the middle.
function placesIn(polygon) {
  const middle = [0, 1].map((k) => polygon.reduce((sum, corner) => sum + corner[k], 0) / polygon.length);
  const corners = [...polygon].sort((a, b) => a[0] + a[1] - b[0] - b[1]);
  return kInset.flatMap((share) => corners.map((corner) =>
    [0, 1].map((k) => corner[k] + share * (middle[k] - corner[k]))));
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

  // outlines: [{ quad, kind, label, isQuiet, differences }], a quiet one seen only when it is chosen, as the quads in
  // `differences` are. Calls press(i) for a click on the i-th.
  showOutlines(outlines, press = () => {}) {
    const taken = [];
    const polygons = outlines.map(({ quad }) => {
      const corners = quad ? clipped(quad, this.width, this.height) : [];
      return corners.length < 3 ? null : corners;
    });
    const loud = polygons.filter((corners, i) => corners && !outlines[i].isQuiet);
    this.groups = outlines.map(({ kind, label, isQuiet, differences = [] }, i) => {
      const corners = polygons[i];
      if (!corners) return [];
      const points = corners.map((corner) => corner.join(',')).join(' ');
      const quiet = isQuiet ? ' quiet' : '';
      const drawn = makeSvg('g', { class: `place${quiet}`, click: () => press(i) },
        makeSvg('polygon', { class: 'halo', points }), makeSvg('polygon', { class: `outline ${kind}`, points }),
        differences.map((quad) => makeSvg('polygon', { class: 'outline within', points: quad.join(' ') })));
      const others = loud.filter((other) => other !== corners);
      return label ? [drawn, this.number(label, corners, others, quiet, taken)] : [drawn];
    });
    this.svg.replaceChildren(...this.region, ...this.groups.flatMap(([drawn]) => drawn ?? []));
    this.numbers.replaceChildren(...this.groups.flatMap(([, number]) => number ?? []));
  }

  // Places a number inside its outline, far from other numbers, and where the fewest other outlines lie.
  number(label, corners, others, quiet, taken) {
    const longest = Math.max(this.width, this.height);
    const isFree = ([x, y]) => taken.every((at) => Math.hypot(at[0] - x, at[1] - y) > kLeastApart * longest);
    const cost = (place) => others.filter((other) => isInside(place, other)).length + (isFree(place) ? 0 : 0.5);
    const places = placesIn(corners);
    const costs = places.map(cost);
    const [x, y] = places[costs.indexOf(Math.min(...costs))];
    if (!quiet) taken.push([x, y]);
    const number = make('span', { class: `number${quiet}` }, label);
    number.style.left = `${(100 * x) / this.width}%`;
    number.style.top = `${(100 * y) / this.height}%`;
    return number;
  }

  // Marks the i-th outline; none if it is -1.
  choose(chosen) {
    this.groups.forEach((parts, i) => parts.forEach((part) => part.classList.toggle('chosen', i === chosen)));
  }
}
