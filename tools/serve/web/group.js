// What is said about a group of files.

import { fileLabel, make } from './dom.js';
import { counted, grouped, sizeText, sumText } from './text.js';

// Returns what is known of a file. names: of the files of its group, by path.
export function fileFacts(file, names) {
  const relation = file.of === null ? null : `${file.kind} of ${names.get(file.of)}`;
  return [
    fileLabel(file.path),
    relation ? make('p', { class: 'facts relation' }, relation) : null,
    file.reason === null ? null : make('p', { class: 'facts' }, file.reason),
    make('p', { class: 'facts' }, `${file.width} × ${file.height} · ${sizeText(file.size_bytes)}`)];
}

// Describes a group in a heading.
export function titleOf(group, choice) {
  const entries = choice.entries();
  return `${counted(group.files.length, 'file')}, ` +
    (entries.length > 0 ? `${entries.length} can go, ${sumText(entries)}` : 'none can go');
}

// Returns the totals as a sentence.
export function totals({ total, files, needless, needless_bytes: bytes, not_compared: rest = 0 }) {
  const go = `${grouped(needless)} can go (${sizeText(bytes)})`;
  const sum = `${counted(total, 'group')} with ${counted(files, 'file')}, of which ${go}.`;
  return rest > 0 ? `${sum} ${counted(rest, 'image')} not compared yet: run lookalike duplicates.` : sum;
}
