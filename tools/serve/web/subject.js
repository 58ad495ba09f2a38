// What is looked up: a photo, or an indexed image. Both have a name, a picture once it can be shown, and ask().

import { getJson, thumbnailOf } from './api.js';
import { make, showBlob, showThumbnail } from './dom.js';
import { Picture } from './picture.js';
import { decoded, isSmall, reduced } from './reduce.js';
import { baseName } from './text.js';
import { upload } from './upload.js';

const kShownPx = 1280;  // longest side of pictures that the server makes

function textOf({ x, y, width, height }) {
  return [x, y, width, height].join();
}

// Moves the outlines of an answer from px of what was sent to px of the photo.
function moved(answer, { x, y, scale }) {
  const toPhoto = ([left, top]) => [x + left * scale, y + top * scale];
  const matches = answer.matches.map((match) => ({ ...match, quad: match.quad?.map(toPhoto) ?? null }));
  return { ...answer, matches };
}

export class PhotoSubject {
  isPhoto = true;
  picture = null;
  #sent = null;  // { blob, parameters, move } of the last question

  constructor(file) {
    this.file = file;
    this.name = file.name;
  }

  // Decodes the photo and makes its picture, if this browser can.
  async open() {
    const pixels = await decoded(this.file);
    if (!pixels) return;
    const { width, height } = pixels;
    const part = isSmall(this.file, pixels) ? { blob: this.file, width } :
      (await reduced(pixels, { x: 0, y: 0, width, height }) ?? { blob: this.file, width });
    pixels.close();
    // A file that is not large in spite of its size in px stays as it is.
    const isWorth = part.blob.size < this.file.size;
    this.whole = isWorth ? { blob: part.blob, scale: width / part.width } : { blob: this.file, scale: 1 };
    await this.#show(part.blob, width, height);
  }

  async #show(blob, width, height) {
    const image = make('img', { alt: 'The photo, with the outlines of matches' });
    await showBlob(image, blob);
    this.picture = new Picture(image, width, height);
  }

  // Has the server make the picture.
  async openByServer() {
    const { blob, width, height } = await thumbnailOf(this.file, kShownPx);
    await this.#show(blob, width, height);
  }

  async #part(region) {
    if (!this.whole) return { blob: this.file, parameters: region ? { region: textOf(region) } : {} };
    if (!region) return { blob: this.whole.blob, parameters: {}, move: { x: 0, y: 0, scale: this.whole.scale } };
    // Cuts the part from all pixels of the photo, so that no detail is lost.
    const pixels = await decoded(this.file);
    const part = pixels && await reduced(pixels, region);
    pixels?.close();
    if (!part) return { blob: this.file, parameters: { region: textOf(region) } };
    return { blob: part.blob, parameters: {}, move: { x: region.x, y: region.y, scale: region.width / part.width } };
  }

  // Looks the photo up, or a region of it, in px of the photo. Throws as upload().
  async ask(parameters, region, waiting) {
    this.#sent = await this.#part(region);
    const { blob, move } = this.#sent;
    const answer = await upload('v1/query', { ...parameters, ...this.#sent.parameters }, blob, waiting);
    return move ? moved(answer, move) : answer;
  }

  // Explains why the last question finds an image; null where that cannot be asked.
  async explain(id, waiting) {
    if (this.#sent.parameters.region) return null;
    return upload('v1/explain', { id }, this.#sent.blob, waiting);
  }
}

export class ImageSubject {
  isPhoto = false;
  picture = null;
  #region = null;

  constructor(id) {
    this.id = id;
  }

  async open() {
    if (!/^\d+$/.test(this.id)) throw new Error(`${this.id || 'Nothing'} is not the number of an image.`);
    const { width, height, paths, taken, camera } = await getJson(`v1/images/${this.id}`);
    Object.assign(this, { paths, taken, camera });
    this.name = baseName(paths[0]);
    const image = make('img', { alt: `${this.name}, with the outlines of matches` });
    this.picture = new Picture(image, width, height);
    showThumbnail(image, this.id, kShownPx);
  }

  async ask({ all }, region, { signal }) {
    this.#region = region;
    const parameters = { id: this.id, ...(all && { all }), ...(region && { region: textOf(region) }) };
    return getJson('v1/query', parameters, { signal });
  }

  async explain(id, { signal }) {
    const region = this.#region && { region: textOf(this.#region) };
    return getJson('v1/explain', { query: this.id, id, ...region }, { signal });
  }
}
