// Fills the list of a view page by page.

import { say } from './dom.js';

const visits = new Map();  // the latest visit, by section

// load(after) returns { elements, next } and optionally { summary }, which is announced, and { head }, which stands
// above the list. Instead of elements it may return { shown }, which makes them unless the answer came too late.
export async function pages(section, load) {
  const list = section.querySelector('.list');
  const more = section.querySelector('.more');
  const visit = {};  // drops answers to earlier visits
  visits.set(section, visit);
  const add = async (after) => {
    const { summary, head, shown, next, ...loaded } = await load(after);
    if (visits.get(section) !== visit) return;
    const elements = shown ? shown() : loaded.elements;
    if (summary) say(summary);
    if (head) section.querySelector('.head').replaceChildren(...head);
    list.append(...elements);
    more.hidden = next === null;
    more.onclick = () => {
      more.disabled = true;
      add(next).catch((error) => say(error.message, true)).finally(() => { more.disabled = false; });
    };
    elements[0]?.setAttribute('tabindex', '-1');
    if (after !== 0) elements[0]?.focus({ preventScroll: true });
  };
  section.querySelector('.head')?.replaceChildren();
  list.replaceChildren();
  more.hidden = true;
  await add(0);
}
