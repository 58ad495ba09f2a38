// Two pictures: side by side, one over the other with a slider, or in turn.

import { getThumbnail } from './api.js';
import { button, make, missingText, showBlob } from './dom.js';
import { transformOnto } from './projection.js';

const kModes = { side: 'Side by side', overlay: 'Overlay', flicker: 'Flicker' };
const kBesidePx = 640;  // longest side of the other picture
const kOverPx = 1280;

export class Comparison {
  // base: a Picture, or null if there is none to show.
  constructor(base) {
    this.base = base;
    this.over = make('img', { class: 'over', alt: '' });
    this.other = make('img', { class: 'other' });
    this.slider = make('input', { type: 'range', min: 0, max: 100, value: 50, 'aria-label': 'Share of the match',
      input: () => this.drawSlider() });
    this.buttons = Object.entries(kModes).map(([mode, text]) =>
      button(text, () => this.setMode(mode), { 'data-mode': mode }));
    this.tools = make('div', { class: 'tools' }, make('div', { class: 'modes', role: 'group', 'aria-label': 'View' },
      this.buttons), this.slider);
    this.left = make('div', { class: 'pane' }, base?.element);
    this.panes = make('div', { class: 'panes' }, this.left, make('div', { class: 'pane' }, this.other));
    this.element = make('div', { class: 'comparison' }, this.panes, this.tools);
    if (base) {
      base.element.querySelector('.over')?.remove();  // of an earlier comparison
      base.element.insertBefore(this.over, base.svg);
      base.watch(() => this.place());
    }
    this.setMode('side');
  }

  // Shows the picture of an indexed image beside the base, and where its outline puts it.
  //   quad  in px of the base; null if unknown
  async show({ id, name, quad }) {
    this.id = id;
    this.quad = quad;
    this.loaded = null;
    this.over.removeAttribute('src');
    this.other.removeAttribute('src');
    this.other.alt = name;
    const canLie = Boolean(quad && this.base);
    for (const mode of this.buttons.slice(1)) mode.disabled = !canLie;
    this.setMode(canLie ? this.mode : 'side');
    try {
      const blob = await getThumbnail(id, kBesidePx);
      if (this.id === id) await showBlob(this.other, blob);
    } catch (error) {
      if (this.id === id) this.other.alt = `${name}: ${missingText(error)}`;
    }
  }

  // Shows nothing beside the base.
  clear() {
    this.id = null;
    this.setMode('side');
    this.element.classList.add('alone');
  }

  setMode(mode) {
    this.mode = mode;
    this.element.classList.remove('alone');
    for (const name of Object.keys(kModes)) this.element.classList.toggle(name, name === mode);
    for (const one of this.buttons) one.setAttribute('aria-pressed', one.dataset.mode === mode);
    this.slider.hidden = mode !== 'overlay';
    this.drawSlider();
    if (mode !== 'side') this.load();
  }

  drawSlider() {
    this.over.style.opacity = this.mode === 'overlay' ? this.slider.value / 100 : '';
  }

  async load() {
    const { id } = this;
    if (this.loaded === id) return;
    this.loaded = id;
    try {
      const blob = await getThumbnail(id, kOverPx);
      if (this.id !== id) return;
      await showBlob(this.over, blob);
      this.place();
    } catch {
      if (this.id === id) this.loaded = null;
    }
  }

  // Lays the other picture where its outline is.
  place() {
    const { over, quad, base } = this;
    if (!quad || !over.naturalWidth) return;
    const scale = base.element.clientWidth / base.width;
    over.style.width = `${over.naturalWidth}px`;
    over.style.height = `${over.naturalHeight}px`;
    over.style.transform = transformOnto(over.naturalWidth, over.naturalHeight,
      quad.map((corner) => corner.map((value) => value * scale)));
  }
}
