// The state of the index on the first view: what it holds, the last run, and what waits for someone.

import { getJson } from './api.js';
import { button, byId, make, say } from './dom.js';
import { counted, localTime } from './text.js';
import { isRemembered, keepToken, readToken } from './token.js';

// Describes how a run ended.
export function outcomeOf({ outcome, report }) {
  if (report?.error) return `${outcome}: ${report.error}`;
  const counts = Object.entries(report?.files ?? {}).filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`);
  const reasons = report?.incomplete ?? [];
  const head = reasons.length > 0 ? `${outcome}: ${reasons.join('; ')}` : outcome;
  return [head, ...counts].join(', ');
}

function waitingFor({ withheld, quarantined, uncompared, missing_folders: missing }) {
  const link = (href, text) => make('li', {}, make('a', { href }, text));
  return [
    missing > 0 ? link('#images', `${counted(missing, 'folder')} ${missing === 1 ? 'is' : 'are'} not there`) : null,
    withheld > 0 ? link('#runs', `${counted(withheld, 'missing file')} kept in the index`) : null,
    quarantined > 0 ? link('#quarantine', `${counted(quarantined, 'file')} could not be indexed`) : null,
    uncompared > 0 ? link('#runs', `${counted(uncompared, 'image')} still to be compared with the others`) : null,
  ].filter(Boolean);
}

// Offers to keep the token of the address that was opened; null where there is none, or it is kept already.
function rememberButton() {
  const token = readToken();
  if (!token || isRemembered()) return null;
  const remember = button('Remember the token on this device', () => {
    keepToken(token, true);
    remember.remove();
    say('The token is remembered on this device.');
  }, { id: 'remember-token' });
  return remember;
}

// state: as /v1/index returns it.
function show(state) {
  const { last_run: run } = state;
  const waits = waitingFor(state);
  byId('index').replaceChildren(
    make('h3', {}, state.name),
    make('p', {}, `${counted(state.images, 'image')} in ${counted(state.folders, 'folder')}`),
    make('p', { class: 'facts' }, run ? `Last run ${localTime(run.started)}: ${outcomeOf(run)}` : 'No run yet'),
    waits.length > 0 ? make('ul', { class: 'waits', 'aria-label': 'What waits' }, waits)
      : make('p', { class: 'facts' }, 'Nothing waits.'),
    rememberButton() ?? '');
}

// Shows the known state at once, and requests the present one.
export async function showStart(known) {
  show(known);
  show(await getJson('v1/index'));
}
