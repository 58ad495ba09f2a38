// The token: of this tab, shared with the other tabs of the page, or remembered on this device.

// Servers in other folders of a site have other tokens, although their scripts could read this one, too.
const kKey = `lookalike-token ${new URL('.', import.meta.url).pathname}`;
const kTabsMs = 300;  // for another tab to answer

let kept = null;  // where the browser forbids storage

export function readToken() {
  try {
    return kept ?? sessionStorage.getItem(kKey) ?? localStorage.getItem(kKey);
  } catch {
    return kept;
  }
}

export function isRemembered() {
  try {
    return localStorage.getItem(kKey) !== null;
  } catch {
    return false;
  }
}

export function forgetToken() {
  kept = null;
  try {
    sessionStorage.removeItem(kKey);
    localStorage.removeItem(kKey);
  } catch {
    // Nothing was stored.
  }
}

export function keepToken(token, isForDevice) {
  forgetToken();
  try {
    (isForDevice ? localStorage : sessionStorage).setItem(kKey, token);
  } catch {
    kept = token;
  }
}

// Takes the token from the address that the program prints, which ends in #token=..., and removes it from there.
export function takeTokenFromAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return;
  keepToken(token, false);
  history.replaceState(history.state, '', `${location.pathname}#search`);
}

const tabs = globalThis.BroadcastChannel ? new BroadcastChannel(kKey) : null;

// Answers other tabs that ask for the token. Messages reach pages of the same site alone.
tabs?.addEventListener('message', ({ data }) => {
  const token = readToken();
  if (data.asks && token) tabs.postMessage({ token });
});

// Returns the token of another tab; null if there is none.
export function tokenOfTabs() {
  if (!tabs) return null;
  return new Promise((done) => {
    const end = (token) => {
      tabs.removeEventListener('message', listen);
      done(token);
    };
    const listen = ({ data }) => {
      if (data.token) end(data.token);
    };
    tabs.addEventListener('message', listen);
    tabs.postMessage({ asks: true });
    setTimeout(() => end(null), kTabsMs);
  });
}
