// Why an image was found, in three plain sentences, with all steps folded below.

import { make } from './dom.js';
import { grouped, percent } from './text.js';

const kSure = ['duplicate', 'variant', 'same_object', 'part'];
// Shares of agreement from which on a word is used; of the correlation of the pixels.
const kAgreement = [[0.9, 'agree almost everywhere'], [0.6, 'agree for the most part'], [0.3, 'agree in part'],
  [-1, 'hardly agree']];

// True for the decisions that is_found() in match.h calls found.
export function isSure({ decision }) {
  return kSure.includes(decision);
}

function detailSentence({ features, pose, refine }) {
  if (refine.identical) return 'It is the same picture, pixel for pixel.';
  if (!pose.quad) return 'Single details look alike, but they do not lie in the same arrangement.';
  return `Of the ${grouped(features.query)} details that were looked for, ${grouped(pose.inliers)} are on this image ` +
    'in the same arrangement.';
}

function pixelSentence({ pose, refine }) {
  if (refine.identical) return 'So nothing differs.';
  if (!pose.quad || refine.correlation === null) return 'The two pictures could not be laid over each other.';
  const [, words] = kAgreement.find(([least]) => refine.correlation >= least);
  const difference = refine.difference?.seen ? ', and a person sees a difference' : '';
  return `Laid over each other, the two pictures ${words}${difference}.`;
}

function sureSentence({ decision, probability, answer }) {
  const final = { decision: answer.decision ?? decision };
  const how = isSure(final) ? 'surely shows' : probability.value >= 0.5 ? 'probably shows' : 'hardly shows';
  const part = final.decision === 'part' ? 'a part of the same thing' : 'the same thing';
  return `So it ${how} ${part}: probability ${percent(probability.value)}.`;
}

// Returns elements. explanation: as lookalike explain --json; null if it could not be asked.
export function whyFound(explanation) {
  if (!explanation) return [make('p', {}, 'This cannot be explained for a part of a photo.')];
  const steps = explanation.steps.map(({ step, passed, reason }) =>
    make('li', {}, make('b', {}, `${step}: ${passed ? 'yes' : 'no'} `), reason));
  return [
    ...[detailSentence, pixelSentence, sureSentence].map((sentence) => make('p', {}, sentence(explanation))),
    make('details', {}, make('summary', {}, 'All steps in detail'), make('ul', {}, steps)),
  ];
}
