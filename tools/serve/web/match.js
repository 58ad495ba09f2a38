// What is said about a match.

import { hasServer } from './api.js';
import { button, copyButton, fileLabel, lazyPicture, make, originLine, otherFiles, say } from './dom.js';
import { rejectButton } from './rejection.js';
import { baseName, percent } from './text.js';
import { whyFound } from './why.js';

const kDecisions = {
  duplicate: 'same picture',
  variant: 'changed version',
  same_object: 'same thing',
  part: 'shared part',
  similar: 'looks similar',
  related: 'related',
  none: 'unlikely',
};
const kUnlikely = 0.01;  // below it, nothing is called similar

function decisionText({ decision, probability }) {
  return decision === 'similar' && probability < kUnlikely ? kDecisions.none : kDecisions[decision];
}

function badge(match) {
  return make('span', { class: `badge ${match.decision}` }, decisionText(match));
}

// As kDecisions, behind a number: of one match, and of several. The server counts in the same words (headline.h).
const kCounted = {
  duplicate: ['same picture', 'same pictures'],
  variant: ['changed version', 'changed versions'],
  same_object: ['shows it', 'show it'],
  part: ['shares a part', 'share a part'],
  similar: ['looks similar', 'look similar'],
  related: ['related', 'related'],
  none: ['unlikely', 'unlikely'],
};

// "1 same picture, 3 show it"
export function decisionCounts(matches) {
  return Object.entries(kCounted).map(([decision, [one, several]]) => {
    const count = matches.filter((match) => match.decision === decision).length;
    return count > 0 ? `${count} ${count === 1 ? one : several}` : null;
  }).filter(Boolean).join(', ');
}

// Lists what is known, or the facts that are given; no probability where only votes speak for the match.
function facts(match) {
  if (match.facts) return match.facts.map((fact) => fact.join(' ')).join(' · ');
  if (match.decision === 'related') {
    return `shows what ${match.via.map((image) => baseName(image.path)).join(', and that what ')} shows`;
  }
  if (!match.quad) return 'shares details, but no place in the photo';
  const all = [`probability ${percent(match.probability)}`, `${match.inliers} points agree`];
  if (match.correlation !== null) all.push(`correlation ${match.correlation.toFixed(2)}`);
  if (match.mirrored) all.push('mirrored');
  return all.join(' · ');
}

// Makes the small card of a match, which shows it beside the photo when it is pressed.
export function matchCard(match, number, name, press) {
  return button([lazyPicture(match.id), make('span', { class: 'text' },
    make('span', {}, number ? make('b', {}, `${number} `) : null, match.facts ? facts(match) : badge(match)),
    make('span', { class: 'name' }, name),
    match.rejected ? make('span', { class: 'facts' }, 'rejected') : null)], press, {
    class: 'card',
    'aria-pressed': 'false',
  });
}

function rejection(match, name, content) {
  if (!match.rejected) return null;
  const mark = make('span', { class: 'facts' }, 'rejected');
  if (!hasServer) return mark;
  const changed = (isRejected) => { mark.hidden = !isRejected; };
  return make('div', { class: 'row' }, mark,
    rejectButton({ a: content, b: match.id, names: `this photo and ${name}`, isRejected: true, changed }));
}

// Makes the button that asks why, and the place of its answer.
function why(match, explain) {
  const answer = make('div', { class: 'why', hidden: '' });
  const ask = button('Why?', async () => {
    if (!answer.hidden) {
      answer.hidden = true;
    } else {
      ask.disabled = true;
      try {
        const explanation = await explain(match.id);
        answer.replaceChildren(...whyFound(explanation));
        answer.hidden = false;
      } catch (error) {
        say(error.message, true);
      }
      ask.disabled = false;
    }
    ask.setAttribute('aria-expanded', String(!answer.hidden));
  }, { 'aria-expanded': 'false' });
  return [ask, answer];
}

// Shows all about the match that is beside the photo.
//   content  the content hash of what was looked up
//   explain  (id) => explanation; null if it cannot be asked
export function matchDetails(match, name, content, explain) {
  const [ask, answer] = explain ? why(match, explain) : [null, null];
  return [
    make('p', { class: 'line' }, match.facts ? null : [badge(match), ' · '], facts(match)),
    fileLabel(match.path, 'h3'),
    originLine(match),
    match.gone.includes(match.path) ? make('p', { class: 'facts' }, 'The file is gone.') : null,
    otherFiles(match.path, match.paths, match.gone),
    make('div', { class: 'row' }, ask, copyButton(match.path),
      hasServer ? make('a', { class: 'button', href: `#image=${match.id}` }, 'Look it up') : null),
    answer,
    rejection(match, name, content),
  ].filter(Boolean);
}
