// The token: of this tab, or remembered on this device.

const kKey = 'lookalike-token';

export function readToken() {
  return sessionStorage.getItem(kKey) ?? localStorage.getItem(kKey);
}

export function keepToken(token, isRemembered) {
  forgetToken();
  (isRemembered ? localStorage : sessionStorage).setItem(kKey, token);
}

export function forgetToken() {
  sessionStorage.removeItem(kKey);
  localStorage.removeItem(kKey);
}

// Takes the token from the address that the program prints, which ends in #token=..., and removes it from there.
export function takeTokenFromAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return;
  keepToken(token, false);
  history.replaceState(history.state, '', `${location.pathname}#search`);
}
