// The runs of the index, and the files that could not be indexed.

import { getJson } from './api.js';
import { byId, fileLabel, make, say } from './dom.js';
import { pages } from './pages.js';
import { outcomeOf } from './start.js';
import { counted, localTime, seconds } from './text.js';

export async function showRuns() {
  const { runs } = await getJson('v1/runs', { limit: 100 });
  say(`${counted(runs.length, 'run')}.`);
  byId('runs').querySelector('.list').replaceChildren(...runs.map((run) => make('li', {},
    make('b', {}, localTime(run.started)), ` ${run.command}, ${seconds(run.elapsed_seconds)}`,
    make('div', { class: 'facts' }, outcomeOf(run)))));
}

export async function showQuarantine() {
  await pages(byId('quarantine'), async (after) => {
    const { quarantine, total, next } = await getJson('v1/quarantine', { after, limit: 200 });
    return {
      summary: total > 0 ? `${counted(total, 'file')}.` : 'No file had to be set aside.',
      elements: quarantine.map(({ path, reason, detail }) => make('li', {}, fileLabel(path),
        make('div', { class: 'facts' }, `${reason.replaceAll('_', ' ')}: ${detail}`))),
      next,
    };
  });
}
