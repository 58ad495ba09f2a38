// Shows the view that the address names after #, once the token is right.

import { offerActions, showActed } from './act.js';
import { bindGroups, showGroups } from './groups.js';
import { passDoor } from './door.js';
import { byId, say, setHidden } from './dom.js';
import { bindImages, showFolder, showImages, showNamed } from './images.js';
import { bindLarger } from './larger.js';
import { showRejected } from './rejected.js';
import { showQuarantine, showRuns } from './runs.js';
import { bindReview, showReview } from './review.js';
import { bindSearch, searchImage, showSearch } from './search.js';
import { showStart } from './start.js';
import { decodedValue } from './text.js';
import { takeTokenFromAddress } from './token.js';
import { limitWaiting } from './wait.js';

// The views: their section, and what fills it from the value behind "=".
const kViews = {
  search: ['search', () => Promise.all([showStart(state), showSearch()])],
  image: ['search', searchImage],
  groups: ['groups', showGroups],
  review: ['review', showReview],
  rejected: ['rejected', showRejected],
  acted: ['acted', showActed],
  images: ['images', showImages],
  folder: ['images', (value) => showFolder(decodedValue(value))],
  named: ['images', showNamed],
  runs: ['runs', showRuns],
  quarantine: ['quarantine', showQuarantine],
};
// The links that lead to views without one in the header.
const kParents = { review: 'groups', rejected: 'groups', acted: 'groups', quarantine: 'runs' };
const kSections = [...new Set(Object.values(kViews).map(([section]) => section))];

let state = null;  // of the index, as the door saw it
let places = Date.now();  // numbers of visited places, which stay apart after a reload
let refill = () => {};  // fills the present view again
const shown = {};  // the number of the place that a section shows
const heights = new Map();  // where each place was scrolled to

// Runs work. Asks for the token where it is missing, and then shows the view again.
async function guard(work) {
  if (!state) return;
  try {
    await work();
  } catch (error) {
    if (error.status === 401) enter();
    else say(error.message, true);
  }
}

// Returns the number of the place in the history, and whether it was visited before.
function placeOf() {
  const known = history.state?.place;
  if (known) return [known, true];
  history.replaceState({ ...history.state, place: ++places }, '');
  return [places, false];
}

function route() {
  takeTokenFromAddress();
  const [, name, value] = /^#?([^=]*)=?(.*)$/.exec(location.hash);
  const view = Object.hasOwn(kViews, name) ? name : 'search';
  const [section, fill] = kViews[view];
  refill = () => fill(value);
  document.body.dataset.view = section;
  byId('left').replaceChildren();
  if (view === 'review') delete shown.groups;  // decisions change that list
  for (const other of kSections) setHidden(other, other !== section);
  for (const link of document.querySelectorAll('nav a')) {
    const isHere = link.hash === `#${section}`;
    const isAbove = link.hash === `#${kParents[section]}` && link.closest('header');
    if (isHere || isAbove) link.setAttribute('aria-current', isHere ? 'page' : 'true');
    else link.removeAttribute('aria-current');
  }
  document.title = `${section[0].toUpperCase()}${section.slice(1)} · lookalike`;
  say('');
  const [place, isKnown] = placeOf();
  if (isKnown && shown[section] === place && section !== 'search') {
    window.scrollTo(0, heights.get(place) ?? 0);  // the way back: the list is still there
    return;
  }
  shown[section] = place;
  window.scrollTo(0, 0);
  guard(refill);
}

// Passes the door and shows the view.
async function enter() {
  state = null;
  takeTokenFromAddress();
  setHidden('unreachable', true);
  try {
    state = await passDoor();
  } catch (error) {
    byId('unreachable-text').textContent = error.message;
    setHidden('unreachable', false);
    return;
  }
  limitWaiting(state.request_seconds);
  offerActions(state);
  for (const section of kSections) delete shown[section];
  route();
}

history.scrollRestoration = 'manual';
window.addEventListener('scroll', () => heights.set(history.state?.place, window.scrollY), { passive: true });
window.addEventListener('hashchange', () => {
  if (state) route();
  else if (location.hash.startsWith('#token=')) location.reload();
});
// Keeps the view in the address.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('content').focus();
});
byId('reach').addEventListener('click', enter);
bindSearch(guard);
bindGroups(guard, () => refill());
bindReview();
bindImages();
bindLarger();
enter();
