// The photo that was looked up last, which the browser keeps so that it is there after a reload of its tab. The search
// view deletes photos older than a day.

const kName = `lookalike ${new URL('.', import.meta.url).pathname}`;
const kStore = 'photos';
const kTab = 'lookalike-photo';  // the key of this tab's photo
const kDayMs = 24 * 3600 * 1000;

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// Returns the photos by their tabs' keys, the times at which these were made.
async function photos() {
  const opening = indexedDB.open(kName, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(kStore);
  const database = await done(opening);
  const store = database.transaction(kStore, 'readwrite').objectStore(kStore);
  database.close();  // once the transaction has ended
  store.delete(IDBKeyRange.upperBound(Date.now() - kDayMs));
  return store;
}

// Keeps a photo, and the region that was looked up. Where the browser forbids it, a reload forgets the photo.
export async function keepPhoto(file, region) {
  try {
    const store = await photos();
    const earlier = Number(sessionStorage.getItem(kTab));
    if (earlier) store.delete(earlier);
    const key = Date.now() + Math.random();  // tabs may look up at the same time
    sessionStorage.setItem(kTab, key);
    await done(store.put({ file, region }, key));
  } catch {
    // Nothing is kept.
  }
}

// Returns the kept { file, region } of this tab; null without one.
export async function keptPhoto() {
  try {
    const store = await photos();
    const key = Number(sessionStorage.getItem(kTab));
    return key ? await done(store.get(key)) ?? null : null;
  } catch {
    return null;
  }
}
