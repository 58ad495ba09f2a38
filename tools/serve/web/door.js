// Asks for the token before anything else is shown.

import { getJson } from './api.js';
import { byId, setHidden } from './dom.js';
import { forgetToken, keepToken, readToken, tokenOfTabs } from './token.js';

// Requests what only a client with access gets. Returns the state of the index; null if the token is missing or wrong.
async function knock() {
  try {
    return await getJson('v1/index');
  } catch (error) {
    if (error.status !== 401) throw error;
    return null;
  }
}

function show(message) {
  document.body.classList.add('locked');
  setHidden('door', false);
  byId('door-error').textContent = message;
  byId('token').focus();
}

// Tries the token of this tab, and then that of another one. Returns as knock().
async function enterQuietly() {
  const state = await knock();
  if (state) return state;
  const other = await tokenOfTabs();
  if (!other || other === readToken()) return null;
  keepToken(other, false);
  return knock();
}

// Shows the door until the token is right. Returns the state of the index.
export async function passDoor() {
  const hadToken = Boolean(readToken());
  let state = await enterQuietly();
  if (state) return state;
  forgetToken();
  show(hadToken ? 'The token is no longer right. A server without --token-file makes a new one at each start.' : '');
  while (!state) {
    await new Promise((done) => byId('door').addEventListener('submit', (event) => {
      event.preventDefault();
      done();
    }, { once: true }));
    keepToken(byId('token').value.trim(), byId('remember').checked);
    try {
      state = await knock();
      if (!state) show('That is not the token of this server.');
    } catch (error) {
      show(error.message);
    }
    if (!state) forgetToken();
  }
  byId('token').value = '';
  setHidden('door', true);
  document.body.classList.remove('locked');
  return state;
}
