// Chooses a rectangle of a picture: by touch, pen, mouse or keyboard.

import { button, make } from './dom.js';

const kLeastSide = 16;  // px of the photo
const kCorners = [['left', 'top'], ['right', 'top'], ['right', 'bottom'], ['left', 'bottom']];
const kArrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const within = (value, least, most) => Math.min(Math.max(value, least), most);

export class Crop {
  // picture: what is cut from. Calls done(region) with { x, y, width, height } in px, or done(null) for all of it, and
  // cancel().
  constructor(picture, region, { done, cancel }) {
    this.picture = picture;
    const { width, height } = picture;
    const middle = { x: width * 0.2, y: height * 0.2, width: width * 0.6, height: height * 0.6 };
    const start = region ?? middle;
    const { x, y } = start;
    this.edges = { left: x, top: y, right: x + start.width, bottom: y + start.height };
    this.handles = kCorners.map(([side, end]) => button('', () => {}, {
      class: `handle ${side} ${end}`, 'aria-label': `Corner at the ${end} ${side}: arrow keys move it`,
    }));
    this.box = make('div', { class: 'crop-box' },
      button('', () => {}, { class: 'crop-all', 'aria-label': 'The rectangle: arrow keys move it' }), this.handles);
    this.layer = make('div', { class: 'crop' }, this.box);
    this.fields = ['Left', 'Top', 'Width', 'Height'].map((name) =>
      make('label', {}, name,
        make('input', { type: 'number', min: 0, required: '', change: () => this.takeFields() })));
    this.form = make('form', { class: 'crop-form', 'aria-label': 'Crop', submit: (event) => {
      event.preventDefault();
      done(this.region());
    } },
    make('p', { class: 'facts' }, 'Drag the corners, or draw a rectangle.'),
    make('div', { class: 'row' }, make('button', { class: 'primary' }, 'Look this part up'),
      region ? button('Whole photo', () => done(null)) : null, button('Cancel', cancel)),
    make('details', {}, make('summary', {}, 'In pixels'), make('div', { class: 'row' }, this.fields)));
    this.layer.addEventListener('pointerdown', (event) => this.press(event));
    this.layer.addEventListener('keydown', (event) => this.key(event, cancel));
    this.draw();
  }

  region() {
    const { left, top, right, bottom } = this.edges;
    const [x, y] = [Math.round(left), Math.round(top)];
    return { x, y, width: Math.max(1, Math.round(right) - x), height: Math.max(1, Math.round(bottom) - y) };
  }

  draw() {
    const { left, top, right, bottom } = this.edges;
    const share = (value, of) => `${(100 * value) / of}%`;
    const { width, height } = this.picture;
    this.box.style.left = share(left, width);
    this.box.style.top = share(top, height);
    this.box.style.width = share(right - left, width);
    this.box.style.height = share(bottom - top, height);
    const region = this.region();
    ['x', 'y', 'width', 'height'].forEach((name, i) => { this.fields[i].lastChild.value = region[name]; });
  }

  takeFields() {
    const [x, y, width, height] = this.fields.map((field) => Number(field.lastChild.value));
    this.edges = { left: 0, top: 0, right: 0, bottom: 0 };
    this.set({ left: x, top: y, right: x + width, bottom: y + height });
  }

  // Keeps the rectangle inside the photo and large enough.
  set({ left, top, right, bottom }) {
    const { width, height } = this.picture;
    const least = Math.min(kLeastSide, width, height);
    const x = within(Math.min(left, right), 0, width - least);
    const y = within(Math.min(top, bottom), 0, height - least);
    this.edges = { left: x, top: y, right: within(Math.max(left, right), x + least, width),
      bottom: within(Math.max(top, bottom), y + least, height) };
    this.draw();
  }

  move(dx, dy) {
    const { left, top, right, bottom } = this.edges;
    const x = within(dx, -left, this.picture.width - right);
    const y = within(dy, -top, this.picture.height - bottom);
    this.set({ left: left + x, top: top + y, right: right + x, bottom: bottom + y });
  }

  // Returns the place of an event in px of the photo.
  at(event) {
    const box = this.layer.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * this.picture.width,
      ((event.clientY - box.top) / box.height) * this.picture.height];
  }

  press(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const [x, y] = this.at(event);
    const start = { ...this.edges };
    const corner = this.handles.indexOf(event.target);
    const isInside = event.target.closest('.crop-box') !== null;
    this.layer.setPointerCapture(event.pointerId);
    const drag = (moved) => {
      const [toX, toY] = this.at(moved);
      if (corner >= 0) {
        const [side, end] = kCorners[corner];
        this.set({ ...start, [side]: start[side] + toX - x, [end]: start[end] + toY - y });
      } else if (isInside) {
        this.edges = { ...start };
        this.move(toX - x, toY - y);
      } else {
        this.set({ left: x, top: y, right: toX, bottom: toY });
      }
    };
    const end = () => {
      this.layer.removeEventListener('pointermove', drag);
      for (const name of ['pointerup', 'pointercancel']) this.layer.removeEventListener(name, end);
    };
    this.layer.addEventListener('pointermove', drag);
    for (const name of ['pointerup', 'pointercancel']) this.layer.addEventListener(name, end);
    if (corner >= 0) this.handles[corner].focus();
  }

  key(event, cancel) {
    if (event.key === 'Escape') {
      cancel();
      return;
    }
    const arrow = kArrows[event.key];
    if (!arrow) return;
    event.preventDefault();
    const step = event.shiftKey ? 1 : Math.max(1, this.picture.width / 50);
    const [dx, dy] = arrow.map((direction) => direction * step);
    const corner = this.handles.indexOf(event.target);
    if (corner < 0) {
      this.move(dx, dy);
    } else {
      const [side, end] = kCorners[corner];
      this.set({ ...this.edges, [side]: this.edges[side] + dx, [end]: this.edges[end] + dy });
    }
  }
}
