// Requests to the server, with the token of this tab.

const kTokenKey = 'lookalike-token';
const kTries = 4;

export class ApiError extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
  }
}

// Takes the token from the URL that the program prints, which ends in #token=..., and removes it from the address.
export function takeTokenFromAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return;
  setToken(token);
  history.replaceState(null, '', location.pathname + '#search');
}

export function setToken(token) {
  sessionStorage.setItem(kTokenKey, token);
}

// Repeats requests that an overloaded server refuses.
async function send(path, options = {}) {
  const token = sessionStorage.getItem(kTokenKey);
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  for (let tries = 1; ; ++tries) {
    const response = await fetch(path, { ...options, headers });
    if (response.ok) return response;
    if (response.status === 503 && tries < kTries) {
      const seconds = Number(response.headers.get('Retry-After')) || 1;
      await new Promise((done) => setTimeout(done, 1000 * seconds));
      continue;
    }
    const answer = await response.json().catch(() => null);
    const error = answer?.error ?? { message: `the server answers ${response.status}` };
    throw new ApiError(response.status, error);
  }
}

export async function getJson(path, parameters = {}, options = {}) {
  const query = new URLSearchParams(parameters).toString();
  return (await send(query ? `${path}?${query}` : path, options)).json();
}

export function postJson(path, parameters, body) {
  return getJson(path, parameters, { method: 'POST', body });
}

// Has the server convert a photo that this browser cannot show. Returns { blob, width, height } with the photo's own
// size in px.
export async function thumbnailOf(photo, side) {
  const response = await send(`/v1/thumbnail?side=${side}`, { method: 'POST', body: photo });
  const [width, height] = ['Photo-Width', 'Photo-Height'].map((name) => Number(response.headers.get(name)));
  return { blob: await response.blob(), width, height };
}

export async function getThumbnail(id, side) {
  return (await send(`/v1/images/${id}/thumbnail?side=${side}`)).blob();
}
