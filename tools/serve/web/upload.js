// Sends a photo with progress, and says how it ended.

import { addressOf, ApiError, authorization, errorOf, offline, patiently } from './api.js';

const kStalledMs = 20000;  // without progress

function attempt(address, body, { signal, progress, answerMs }) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    let sent = 0;
    let watch = 0;
    const end = (error) => {
      clearTimeout(watch);
      signal.removeEventListener('abort', cancel);
      if (error) failed(error);
      request.abort();
    };
    const cancel = () => end(new ApiError(0, 'cancelled', 'Cancelled.'));
    const expectWithin = (ms, reason, message) => {
      clearTimeout(watch);
      watch = setTimeout(() => end(new ApiError(0, reason, message)), ms);
    };
    const expectProgress = () => expectWithin(kStalledMs, 'stalled', 'The connection stands still.');
    request.upload.addEventListener('progress', (event) => {
      if (event.loaded === sent) return;
      sent = event.loaded;
      progress(sent / event.total);
      expectProgress();
    });
    request.upload.addEventListener('load', () => {
      progress(1);
      expectWithin(answerMs, 'late', 'No answer came in time.');
    });
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      end();
      try {
        if (status === 200) done(JSON.parse(responseText));
      } catch {
        // It is not from lookalike: a proxy's page, for example.
      }
      failed(errorOf(status, responseText));  // no effect once done
    });
    request.addEventListener('error', () => {
      const isCut = navigator.onLine && sent > 0;
      end(isCut ? new ApiError(0, 'cut', 'The connection was cut.') : offline());
    });
    if (signal.aborted) {
      cancel();
      return;
    }
    signal.addEventListener('abort', cancel);
    request.open('POST', address);
    for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
    progress(0);
    expectProgress();
    request.send(body);
  });
}

// Returns the answer's JSON. Calls progress(share) while the photo is sent, with 1 once the answer is awaited. Throws
// ApiError; its reason is "cancelled" if the signal came.
//   waiting  { signal, progress, answerMs }
export function upload(path, parameters, body, waiting) {
  return patiently(() => attempt(addressOf(path, parameters), body, waiting));
}
