// The answer to a question: the verdict, the best match beside the photo, and the others below.

import { byId, make, setHidden } from './dom.js';
import { decisionText, isSure, matchCard, matchDetails } from './match.js';
import { counted, shortNames } from './text.js';

const kArticles = { duplicate: 'the', variant: 'a', same_object: 'the', part: 'a' };

// Returns the verdict in large words, and a line below it.
function verdict({ found, total, perhaps_mirrored: isPerhapsMirrored, matches }, places) {
  const listed = matches.length < total ? `, ${matches.length} of ${total} listed` : '';
  if (found > 0) {
    const best = `${kArticles[matches[0].decision]} ${decisionText(matches[0])}`;
    const where = places > 1 ? ` in ${counted(places, 'place')} of the photo` : '';
    return [found === 1 ? `Found: ${best}` : `${found} found${where}`,
      found === 1 && total === 1 ? '' : `${found === 1 ? '1 found' : `best: ${best}`}, ${total} in all${listed}`];
  }
  if (total === 0) return ['Nothing found', 'No indexed image shows what this photo shows.'];
  if (isPerhapsMirrored) {
    return ['Nothing sure found', 'Perhaps the photo is mirrored: try “Also mirrored” under Options.'];
  }
  return ['Nothing sure found', `${counted(total, 'image')} may be similar${listed}.`];
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

function list(cards) {
  return make('ul', { class: 'cards' }, cards.map((card) => make('li', {}, card)));
}

//   subject     what was looked up
//   comparison  shows its picture
//   explain     (id) => explanation; null if it cannot be asked
export function showAnswer(answer, { subject, comparison, explain }) {
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
    byId('chosen').replaceChildren(...matchDetails(matches[i], name(i), content, canExplain ? explain : null));
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
  })), choose);

  const [large, small] = verdict(answer, new Set(matches.filter(isSure).map((match) => match.place ?? 0)).size);
  byId('verdict').textContent = large;
  byId('verdict').className = found > 0 ? 'sure' : '';
  byId('verdict-more').textContent = small;
  const alternatives = (group) => (group.length > 1
    ? folded(counted(group.length - 1, 'alternative'), list(group.slice(1).map((i) => cards[i]))) : null);
  byId('matches').replaceChildren(
    ...(matches.length > 1 ? shown.map((group) => make('li', {}, cards[group[0]], alternatives(group))) : []));
  byId('unsure').replaceChildren(...(rest.length > 0
    ? [folded(counted(rest.length, 'less likely image'), list(rest.map((i) => cards[i])))] : []));
  if (matches.length > 0) {
    choose(0);
  } else {
    comparison.clear();
    byId('chosen').replaceChildren();
  }
  setHidden('answer', false);
}
