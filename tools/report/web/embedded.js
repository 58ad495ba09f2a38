// What a report offers in place of api.js: the pictures that it embeds.

export const hasServer = false;
const embedded = new Map();  // by the number of an image, or the key of a photo

// element: holds the pictures of an item as JSON.
export function keepPictures(element) {
  for (const [key, picture] of Object.entries(JSON.parse(element.textContent))) embedded.set(key, picture);
}

// Returns { url, width, height }, the size in px of the original, or { missing }, the reason why there is no picture.
export function pictureOf(key) {
  return embedded.get(String(key)) ?? { missing: 'this report does not hold it' };
}

export async function getThumbnail(key) {
  const { url, missing } = pictureOf(key);
  if (url) return url;
  throw new Error(missing);
}
