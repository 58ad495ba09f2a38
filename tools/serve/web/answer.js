// The answer to a question: the verdict, the best match beside the photo, and the others below.

import { hasServer } from './api.js';
import { make } from './dom.js';
import { decisionCounts, matchCard, matchDetails } from './match.js';
import { capitalised, shortNames } from './text.js';
import { isSure } from './why.js';

// Returns a line below the headline; empty if nothing is left to say.
function advice({ total, found, perhaps_mirrored: isPerhapsMirrored }, isPhoto) {
  if (isPerhapsMirrored) {
    return `Perhaps the photo is mirrored: try ${hasServer ? '“Also mirrored” under Options' : '--mirror'}.`;
  }
  if (total === 0 && isPhoto) return 'No indexed image shows what this photo shows.';
  return found === 0 && total > 0 ? 'These images may be similar.' : '';
}

// Groups the places of matches, best first: those with the same number in `place` are alternatives of one place.
function byPlace(matches) {
  const groups = new Map();
  matches.forEach((match, i) => {
    const key = match.place ?? `own ${i}`;
    groups.set(key, [...(groups.get(key) ?? []), i]);
  });
  return [...groups.values()];
}

function folded(text, ...children) {
  return make('details', {}, make('summary', {}, text), ...children);
}

// Returns the places in which a match differs.
function differences({ evidence }) {
  return [...(evidence?.other_content ?? []), ...(evidence?.difference?.places ?? [])];
}

function list(cards) {
  return make('ul', { class: 'cards' }, cards.map((card) => make('li', {}, card)));
}

//   subject     what was looked up
//   comparison  shows its picture
//   explain     (id) => explanation; null if it cannot be asked
//   part        (name) => the element that shows a part of the answer
//   chosen      (match) => called when a match is put beside the picture
export function showAnswer(answer, { subject, comparison, explain, part, chosen = () => {} }) {
  const { matches, content, found } = answer;
  const { picture } = subject;
  const names = shortNames(matches.map((match) => match.path));
  const name = (i) => names.get(matches[i].path);
  const groups = byPlace(matches);
  const shown = groups.filter(([best]) => found === 0 || isSure(matches[best]));
  const rest = groups.filter((group) => !shown.includes(group)).flat();
  const numbers = new Map(shown.map(([best], i) => [best, shown.length > 1 ? String(i + 1) : '']));
  const cards = [];
  const choose = (i) => {
    cards.forEach((card, k) => card.setAttribute('aria-pressed', String(k === i)));
    picture?.choose(i);
    comparison.show({ id: matches[i].id, name: name(i), quad: matches[i].quad });
    const canExplain = explain && !matches[i].mirrored;
    chosen(matches[i]);
    part('chosen').replaceChildren(...matchDetails(matches[i], name(i), content, canExplain ? explain : null));
  };
  matches.forEach((match, i) => {
    const card = matchCard(match, numbers.get(i), name(i), () => choose(i));
    for (const event of ['mouseenter', 'focus']) card.addEventListener(event, () => picture?.choose(i));
    for (const event of ['mouseleave', 'blur']) {
      card.addEventListener(event, () => picture?.choose(cards.findIndex((one) => one.ariaPressed === 'true')));
    }
    cards.push(card);
  });
  picture?.showOutlines(matches.map((match, i) => ({
    quad: match.quad, kind: match.decision, label: numbers.get(i), isQuiet: !isSure(match) || !numbers.has(i),
    differences: differences(match),
  })), choose);

  part('verdict').textContent = capitalised(answer.headline);
  part('verdict').className = found > 0 ? 'sure' : '';
  part('verdict-more').textContent = advice(answer, subject.isPhoto);
  const fold = (some, words) => (some.length > 0
    ? folded(`${some.length} ${words}: ${decisionCounts(some.map((i) => matches[i]))}`,
      list(some.map((i) => cards[i]))) : null);
  part('matches').replaceChildren(...(matches.length > 1
    ? shown.map((group) => make('li', {}, cards[group[0]], fold(group.slice(1), 'more here'))) : []));
  part('unsure').replaceChildren(fold(rest, 'less likely') ?? '');
  if (matches.length > 0) {
    choose(0);
  } else {
    comparison.clear();
    part('chosen').replaceChildren();
  }
}
