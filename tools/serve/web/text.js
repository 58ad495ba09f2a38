// Numbers, times and paths as text. Written by hand, so that no locale of the browser changes them.

const kMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

// "1,849"
export function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// "1 file", "1,849 files"
export function counted(count, noun, plural = `${noun}s`) {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

// As the commands print sizes: "1 kB", "2.3 MB".
export function sizeText(bytes) {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

// Returns the size of files, [{ size_bytes }], together.
export function sumText(files) {
  return sizeText(files.reduce((sum, file) => sum + file.size_bytes, 0));
}

// time: UTC as text, or milliseconds since the epoch. Returns the local time: "24 Nov 2026, 23:05".
export function localTime(time) {
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, '0');
  return `${date.getDate()} ${kMonths[date.getMonth()]} ${date.getFullYear()}, ` +
    `${two(date.getHours())}:${two(date.getMinutes())}`;
}

// The day of that time: "24 Nov 2026".
export function localDay(time) {
  return localTime(time).split(',')[0];
}

export function seconds(value) {
  if (value < 90) return `${value.toFixed(1)} s`;
  return value < 5400 ? `${Math.round(value / 60)} min` : `${(value / 3600).toFixed(1)} h`;
}

export function percent(probability) {
  if (probability > 0.999) return '> 99.9 %';
  return probability < 0.001 ? '< 0.1 %' : `${(100 * probability).toFixed(1)} %`;
}

export function baseName(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function folderName(path) {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

// Shortens each path to the end that tells it from the others. Returns a Map from path to end.
export function shortNames(paths) {
  const all = [...new Set(paths)].map((path) => ({ path, parts: path.split('/'), kept: 1 }));
  const end = ({ parts, kept }) => parts.slice(-kept).join('/');
  for (let changed = true; changed;) {
    changed = false;
    const counts = new Map();
    for (const one of all) counts.set(end(one), (counts.get(end(one)) ?? 0) + 1);
    for (const one of all) {
      if (counts.get(end(one)) === 1 || one.kept === one.parts.length) continue;
      ++one.kept;
      changed = true;
    }
  }
  return new Map(all.map((one) => [one.path, end(one)]));
}

// Decodes a part of the page's address.
export function decodedValue(value) {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new Error('The address of this page is damaged.');
  }
}
