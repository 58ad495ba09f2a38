// An input for a folder, which suggests those whose paths contain what is typed.

import { getJson } from './api.js';
import { make, say } from './dom.js';

const kPauseMs = 150;  // without a key

// list: the <datalist> of the input.
export function suggestFolders(input, list) {
  let pause = 0;
  let latest = 0;
  const ask = async () => {
    const mine = ++latest;
    try {
      const { folders } = await getJson('v1/subfolders', { name: input.value.trim(), limit: 20 });
      if (mine === latest) list.replaceChildren(...folders.map(({ path }) => make('option', { value: path })));
    } catch (error) {
      say(error.message, true);
    }
  };
  input.addEventListener('focus', ask);
  input.addEventListener('input', () => {
    clearTimeout(pause);
    pause = setTimeout(ask, kPauseMs);
  });
}
