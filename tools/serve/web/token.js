// The token: of this tab, or remembered on this device.

const kKey = 'lookalike-token';

let kept = null;  // where the browser forbids storage

export function readToken() {
  try {
    return kept ?? sessionStorage.getItem(kKey) ?? localStorage.getItem(kKey);
  } catch {
    return kept;
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

export function keepToken(token, isRemembered) {
  forgetToken();
  try {
    (isRemembered ? localStorage : sessionStorage).setItem(kKey, token);
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
