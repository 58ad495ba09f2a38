// Shows the view that the address names after #.

import { setToken, takeTokenFromAddress } from './api.js';
import { byId, say } from './dom.js';
import { showFolder, showGroups, showImages, showQuarantine, showRejected, showRuns } from './lists.js';
import { searchImage, searchLastPhoto, startSearch } from './search.js';

const kViews = {
  search: searchLastPhoto, groups: showGroups, rejected: showRejected, images: showImages, runs: showRuns,
  quarantine: showQuarantine,
};

async function guard(work) {
  byId('token-form').hidden = true;
  try {
    await work();
  } catch (error) {
    if (error.status === 401) {
      byId('token-form').hidden = false;
      byId('token').focus();
    }
    say(error.message, true);
  }
}

function folderOf(value) {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new Error('The address of this page does not name a folder.');
  }
}

function route() {
  takeTokenFromAddress();
  const [, name, value] = /^#?([^=]*)=?(.*)$/.exec(location.hash);
  const view = name === 'image' ? 'search' : name === 'folder' ? 'images' : Object.hasOwn(kViews, name) ? name : 'search';
  for (const other of Object.keys(kViews)) byId(other).hidden = other !== view;
  for (const link of document.querySelectorAll('header nav a')) {
    if (link.hash === `#${view}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${view[0].toUpperCase()}${view.slice(1)} · lookalike`;
  say('');
  window.scrollTo(0, 0);
  if (name === 'image') {
    guard(() => searchImage(value));
  } else if (name === 'folder') {
    guard(() => showFolder(folderOf(value)));
  } else {
    guard(kViews[view]);
  }
}

byId('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  setToken(byId('token').value.trim());
  byId('token').value = '';
  route();
});
// Keeps the view in the address.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('content').focus();
});
window.addEventListener('hashchange', route);
startSearch(guard);
route();
