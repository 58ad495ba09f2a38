// Decodes a photo and makes it smaller before it is sent.

const kLongestSidePx = 1600;  // features are taken from less
const kSmallBytes = 200000;   // such a file is sent as it is
const kQualities = [0.85, 0.75, 0.65, 0.55];

// Returns the photo's pixels, upright; null if this browser cannot decode it.
export async function decoded(file) {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    return null;
  }
}

// False if the browser falsifies what is read from a canvas, as some do against tracking.
function isCanvasTrue() {
  const context = Object.assign(document.createElement('canvas'), { width: 2, height: 1 }).getContext('2d');
  context.fillStyle = '#123456';
  context.fillRect(0, 0, 1, 1);
  context.fillStyle = '#fedcba';
  context.fillRect(1, 0, 1, 1);
  return context.getImageData(0, 0, 2, 1).data.join() === '18,52,86,255,254,220,186,255';
}

function isTransparent(context, { width, height }) {
  const { data } = context.getImageData(0, 0, width, height);
  for (let i = 3; i < data.length; i += 4) if (data[i] < 255) return true;
  return false;
}

// Returns { blob, width, height } with a part of the pixels as a file to send; null if it cannot be made.
//   region  { x, y, width, height } in px
export async function reduced(pixels, region) {
  if (!isCanvasTrue()) return null;
  const scale = Math.min(1, kLongestSidePx / Math.max(region.width, region.height));
  const [width, height] = [region.width, region.height].map((side) => Math.max(1, Math.round(side * scale)));
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.imageSmoothingQuality = 'high';
  context.drawImage(pixels, region.x, region.y, region.width, region.height, 0, 0, width, height);
  const encoded = (type, quality) => new Promise((done) => canvas.toBlob(done, type, quality));
  let blob = null;
  if (isTransparent(context, canvas)) {
    blob = await encoded('image/png');
  } else {
    for (const quality of kQualities) {
      blob = await encoded('image/jpeg', quality);
      if (!blob || blob.size <= kSmallBytes) break;
    }
  }
  return blob && { blob, width, height };
}

// True if a file of this size in px is small enough to be sent as it is.
export function isSmall(file, { width, height }) {
  return file.size <= kSmallBytes && Math.max(width, height) <= kLongestSidePx;
}
