// Requests to the server, with the token.

import { readToken } from './token.js';

// The modules that reports have, too, ask for nothing else where it is false.
export const hasServer = true;

const kTries = 4;

// reason: the server's word for it, or "offline" and what upload() adds.
export class ApiError extends Error {
  constructor(status, reason, message) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export function offline() {
  return new ApiError(0, 'offline', 'The server cannot be reached.');
}

// text: the body of an answer that is no success.
export function errorOf(status, text) {
  try {
    const { reason, message } = JSON.parse(text).error;
    return new ApiError(status, reason, message);
  } catch {
    return new ApiError(status, 'unknown', `The server answers ${status}.`);
  }
}

export function authorization() {
  const token = readToken();
  return token ? { Authorization: `Bearer ${token}` } : {};
}

// Returns a URL in the folder of the page, which a proxy may have put below its own root.
//   path  without a leading slash
export function addressOf(path, parameters = {}) {
  const address = new URL(path, import.meta.url);
  address.search = new URLSearchParams(parameters);
  return address.href;
}

// Runs ask(), and repeats it while the server is overloaded.
export async function patiently(ask) {
  for (let tries = 1; ; ++tries) {
    try {
      return await ask();
    } catch (error) {
      if (error.status !== 503 || tries === kTries) throw error;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

async function send(address, options = {}) {
  return patiently(async () => {
    const response = await fetch(address, { ...options, headers: authorization() }).catch((error) => {
      throw error.name === 'AbortError' ? error : offline();
    });
    if (response.ok) return response;
    throw errorOf(response.status, await response.text().catch(() => ''));
  });
}

export async function getJson(path, parameters = {}, options = {}) {
  return (await send(addressOf(path, parameters), options)).json();
}

export function postJson(path, parameters, body) {
  return getJson(path, parameters, { method: 'POST', body });
}

// Has the server convert a photo that this browser cannot show. Returns { blob, width, height } with the photo's own
// size in px.
export async function thumbnailOf(photo, side) {
  const response = await send(addressOf('v1/thumbnail', { side }), { method: 'POST', body: photo });
  const [width, height] = ['Photo-Width', 'Photo-Height'].map((name) => Number(response.headers.get(name)));
  return { blob: await response.blob(), width, height };
}

export async function getThumbnail(id, side) {
  return (await send(addressOf(`v1/images/${id}/thumbnail`, { side }))).blob();
}
