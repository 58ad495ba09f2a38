// Shows a photo with outlines over it, in which a rectangle can be drawn.

import { make, makeSvg } from './dom.js';

const kLeastSide = 16;

function middle(quad) {
  return [0, 1].map((axis) => quad.reduce((sum, corner) => sum + corner[axis], 0) / quad.length);
}

export class Picture {
  // image: an <img>; width, height: the photo's size in the outlines' coordinates.
  constructor(image, width, height) {
    this.width = width;
    this.height = height;
    this.outlines = makeSvg('g');
    this.rectangle = makeSvg('rect', { class: 'region', visibility: 'hidden' });
    this.svg = makeSvg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      this.outlines, this.rectangle);
    this.element = make('div', { class: 'picture' }, image, this.svg);
  }

  // quads: [{ quad, kind, label }], numbered like the list.
  showOutlines(quads) {
    const size = Math.max(this.width, this.height) / 28;
    this.outlines.replaceChildren(...quads.map(({ quad, kind, label }) => {
      const points = quad.map((corner) => corner.join(',')).join(' ');
      const [x, y] = middle(quad);
      const number = label && makeSvg('text',
        { class: 'number', x, y, 'font-size': size, 'stroke-width': size / 8 }, label);
      return makeSvg('g', {}, makeSvg('polygon', { class: 'halo', points }),
        makeSvg('polygon', { class: `outline ${kind}`, points }), number);
    }));
  }

  choose(chosen) {
    [...this.outlines.children].forEach((group, i) => group.classList.toggle('chosen', i === chosen));
  }

  showRegion(region) {
    this.rectangle.setAttribute('visibility', region ? 'visible' : 'hidden');
    for (const [name, value] of Object.entries(region ?? {})) this.rectangle.setAttribute(name, value);
  }

  // Calls drawn({ x, y, width, height }), in whole px of the photo.
  allowDrawing(drawn) {
    let start = null;
    const place = (event) => {
      const box = this.svg.getBoundingClientRect();
      const within = (value, most) => Math.round(Math.min(Math.max(value, 0), 1) * most);
      return [within((event.clientX - box.left) / box.width, this.width),
        within((event.clientY - box.top) / box.height, this.height)];
    };
    const region = (event) => {
      const end = place(event);
      const [x, y] = [0, 1].map((axis) => Math.min(start[axis], end[axis]));
      const [width, height] = [0, 1].map((axis) => Math.abs(start[axis] - end[axis]));
      return { x, y, width, height };
    };
    this.element.classList.add('drawable');
    this.svg.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      start = place(event);
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener('pointermove', (event) => start && this.showRegion(region(event)));
    this.svg.addEventListener('pointercancel', () => { start = null; });
    this.svg.addEventListener('pointerup', (event) => {
      if (!start) return;
      const last = region(event);
      start = null;
      if (last.width >= kLeastSide && last.height >= kLeastSide) drawn(last);
      else this.showRegion(null);
    });
  }
}
