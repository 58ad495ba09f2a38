// Writes a selection of files for other programs. Paths are bytes: one that is no UTF-8 comes as a file: URI.

const utf8 = new TextEncoder();

function bytesOf(path) {
  if (!path.startsWith('file:')) return utf8.encode(path);
  const parts = path.replace(/^file:\/\//, '').match(/%[0-9a-f]{2}|[^%]/gi) ?? [];
  return Uint8Array.from(parts.map((part) => (part[0] === '%' ? parseInt(part.slice(1), 16) : part.charCodeAt(0))));
}

// As csv_field() in base/text.h: no spreadsheet runs a field as a formula.
function csvField(text) {
  const field = String(text).replaceAll('"', '""');
  return /^'*[=+\-@\t\r\n]/.test(field) ? `"'${field}"` : `"${field}"`;
}

// Returns the parts of a path in quotes for a shell.
function quoted(path) {
  const parts = [];
  let start = 0;
  const bytes = bytesOf(path);
  bytes.forEach((byte, i) => {
    if (byte !== 0x27) return;
    parts.push(bytes.subarray(start, i), `'\\''`);
    start = i + 1;
  });
  return [`'`, ...parts, bytes.subarray(start), `'`];
}

const kScript = `#!/bin/sh
# Moves files of which another one stays into a folder, below which they keep their paths. Deletes nothing.
#   sh lookalike-move.sh FOLDER
set -eu
if [ $# -ne 1 ]; then
  echo 'usage: sh lookalike-move.sh FOLDER' >&2
  exit 2
fi
left=0
leave() {
  echo "left as it is, since $1: $2" >&2
  left=1
}
# move STAYS FILE
move() {
  to="$folder$2"
  if [ ! -f "$1" ]; then leave "the file that stays is gone" "$2"
  elif [ "$1" -ef "$2" ]; then leave "it is the file that stays" "$2"
  elif [ ! -f "$2" ]; then leave "it is gone" "$2"
  elif [ -e "$to" ]; then leave "$to exists" "$2"
  else
    mkdir -p -- "$(dirname -- "$to")"
    mv -n -- "$2" "$to"
  fi
}
mkdir -p -- "$1"
folder=$(cd -- "$1" && pwd)
`;

// The formats: how their files are called and made.
const kFormats = {
  paths: ['lookalike-paths.txt', (entries) => entries.flatMap(({ path }) => [bytesOf(path), '\n'])],
  nul: ['lookalike-paths.nul', (entries) => entries.flatMap(({ path }) => [bytesOf(path), '\0'])],
  csv: ['lookalike.csv', (entries) => ['group,path,stays,size_bytes\n', ...entries.map((entry) =>
    `${entry.group},${csvField(entry.path)},${csvField(entry.stays)},${entry.size_bytes}\n`)]],
  script: ['lookalike-move.sh', (entries) => [kScript, ...entries.flatMap(({ path, stays }) =>
    ['move ', ...quoted(stays), ' ', ...quoted(path), '\n']), 'exit $left\n']],
};

// Returns { name, blob } with the files that go. entries: [{ group, path, stays, size_bytes }].
export function exported(format, entries) {
  const [name, partsOf] = kFormats[format];
  return { name, blob: new Blob(partsOf(entries)) };
}
