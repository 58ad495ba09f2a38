// Draws the answers or groups that a report embeds, with the modules of the page of lookalike serve.

import { showAnswer } from './answer.js';
import { Comparison } from './compare.js';
import { byId, lazyPicture, make } from './dom.js';
import { keepPictures, pictureOf } from './embedded.js';
import { fileFacts, titleOf, totals } from './group.js';
import { joinsOf } from './joins.js';
import { pairsOf } from './pairs.js';
import { Picture } from './picture.js';
import { Selection } from './selection.js';
import { baseName, counted, shortNames } from './text.js';
import { isSure } from './why.js';

const kOpenGroups = 10;
const kMostFiles = 40;  // of a group; there are pictures of these alone

function factList(facts) {
  return make('ul', { class: 'facts row' }, facts.map(([name, value]) =>
    make('li', {}, `${name} `, make('b', {}, value))));
}

function table(heads, rows) {
  return make('table', {}, make('tr', {}, heads.map((text) => make('th', {}, text))), rows);
}

// Returns the steps of an explanation.
function stepTable({ steps, probability }) {
  const terms = probability.terms.map(({ name, value, weight, product }) =>
    [name, `${value.toFixed(2)} × ${weight.toFixed(2)} = ${product < 0 ? '' : '+'}${product.toFixed(2)}`]);
  return table(['Step', '', 'Why'], steps.map(({ step, passed, reason }) => make('tr', {},
    make('td', { class: 'word' }, step),
    make('td', { class: passed ? 'word sure' : 'word error' }, passed ? 'yes' : 'no'),
    make('td', {}, reason, step === 'probability' ? factList(terms) : null))));
}

// The answers of other commands in the form of those of queries.

function ofExplanation(answer) {
  const { pose, refine, probability: { value } } = answer;
  const isListed = answer.steps.at(-1).passed;
  const match = { ...answer, ...pose, ...refine, evidence: refine, probability: value, via: answer.answer.via };
  return { ...answer, headline: isListed ? 'listed' : 'not listed', found: Number(isListed && isSure(answer)),
    matches: [match] };
}

function hitFacts({ method, angle_degrees: angle, scale, correlation, colour, inliers }) {
  return [['found by', method], ['angle', `${angle.toFixed(1)}°`], ['scale', scale.toFixed(3)],
    ['correlation', correlation.toFixed(3)], ...(colour === null ? [] : [['colour', colour.toFixed(3)]]),
    ...(inliers > 0 ? [['inliers', inliers]] : [])];
}

function ofPlaces({ hits, ...answer }) {
  const matches = hits.map((hit) => ({ ...hit, id: hit.object, path: hit.object, paths: [hit.object], gone: [],
    facts: hitFacts(hit) }));
  const headline = hits.length > 0 ? `${hits.length} found` : 'nothing found';
  return { ...answer, headline, found: hits.length, matches };
}

function asQuery(answer) {
  if (answer.error) return { ...answer, headline: 'not looked up', matches: [] };
  const query = answer.hits ? ofPlaces(answer) : answer.steps ? ofExplanation(answer) : answer;
  // Matches with facts of their own are all outlined.
  const shown = (match) => (match.facts ? { ...match, decision: 'same_object' } : match);
  return { ...query, matches: query.matches.map(shown) };
}

// Returns the name of what was looked up.
function nameOf({ query, scene }) {
  return query ?? scene;
}

function photoKey(answer) {
  return `photo ${nameOf(answer)}`;
}

function answerElement(given, i) {
  const answer = asQuery(given);
  const section = make('section', { class: 'panel', id: `answer-${i}` }, make('h2', {}, baseName(nameOf(answer))),
    make('p', { class: 'folder' }, nameOf(answer)));
  if (answer.error) {
    section.append(make('p', { class: 'error' }, `not looked up: ${answer.error.message}`));
    return section;
  }
  const { url, width, height, missing } = pictureOf(photoKey(answer));
  const picture = url ? new Picture(make('img', { src: url, alt: 'The photo, with the outlines of matches' }), width,
    height) : null;
  const comparison = new Comparison(picture);
  const names = ['verdict', 'verdict-more', 'chosen', 'joins', 'matches', 'unsure'];
  const parts = Object.fromEntries(names.map((name) => [name, make('div')]));
  parts.matches = make('ol', { class: 'cards' });
  const { verdict, 'verdict-more': more, ...below } = parts;
  section.append(make('div', { class: 'headline' }, verdict), more,
    url ? '' : make('p', { class: 'error' }, `${nameOf(answer)} cannot be shown: ${missing}`), comparison.element,
    ...Object.values(below), given.steps ? stepTable(given) : '');
  showAnswer(answer, { subject: { isPhoto: true, picture }, comparison, explain: null, part: (name) => parts[name],
    chosen: ({ id, pairs }) => parts.joins.replaceChildren(joinsOf(photoKey(answer), id, pairs ?? []) ?? '') });
  return section;
}

// Lists the answers, each with a link to its section.
function overview(answers) {
  return table(['Photo', 'Result', 'Best'], answers.map(asQuery).map((answer, i) => {
    const { headline, matches: [best] } = answer;
    const photo = [answer.error ? null : lazyPicture(photoKey(answer)), baseName(nameOf(answer))];
    return make('tr', {}, make('td', {}, make('a', { href: `#answer-${i}` }, photo)), make('td', {}, headline),
      make('td', {}, best ? [lazyPicture(best.id), baseName(best.path)] : null));
  }));
}

// Returns what is folded open to show a group.
function filesOf(group) {
  const names = shortNames(group.files.map((file) => file.path));
  const rest = group.files.length - kMostFiles;
  const isAllNew = group.files.every((file) => file.new);
  const files = group.files.slice(0, kMostFiles).map((file) => make('li', {},
    make('div', { class: 'thumb' }, lazyPicture(file.id)),
    make('span', { class: `badge ${file.proposal}` }, file.proposal), file.new && !isAllNew ? ', new' : null,
    fileFacts(file, names)));
  return [make('ul', { class: 'grid' }, files), rest > 0 ? make('p', {}, `and ${counted(rest, 'more file')}`) : '',
    pairsOf(group, names)];
}

// Returns a group. It is drawn when it is first unfolded, so that thousands open quickly.
function groupElement(group, pictures, i) {
  const isFirst = i < kOpenGroups;
  const title = titleOf(group, new Selection(() => {}).choiceOf(group));
  const element = make('details', { class: 'group', open: isFirst && '', toggle: () => {
    if (element.childElementCount > 1) return;
    keepPictures(pictures);
    element.append(...filesOf(group));
  } }, make('summary', {}, make('h2', {}, `Group ${group.group}: ${title}`)));
  return element;
}

const [{ title, facts: headFacts, totals: sums }, ...items] =
  [...document.querySelectorAll('.item')].map((element) => JSON.parse(element.textContent));
const pictures = [...document.querySelectorAll('.pictures')];
byId('content').replaceChildren(make('h1', {}, title), factList(headFacts));
if (sums) {
  byId('content').append(make('p', {}, totals(sums)), ...items.map((group, i) => groupElement(group, pictures[i], i)));
} else {
  pictures.forEach(keepPictures);
  byId('content').append(items.length > 1 ? overview(items) : '', ...items.map(answerElement));
}
