/** Two logistic regressions: how well a candidate fits a page, and how certain the best candidate is. */
import type { Compared, Comparison } from './compare.ts';
import { WEIGHTS } from './weights.ts';

/** A compared candidate with its likeness, a logit. */
export interface Ranked extends Compared {
  likeness: number;
}

/** Confidence from this probability on, fitted by bench/moves-fit.ts. */
export const SURE = 0.94;
export const LIKELY = 0.5;

/** Inputs of the likeness: the comparison and products of it, by name. */
export function likenessInputs(c: Comparison): Record<string, number> {
  return {
    ...c,
    nameBothWays: c.nameInName * c.nameBack,
    sameRareName: c.sameName * c.evidence,
    rareTrigrams: c.trigrams * c.evidence,
    trigramsSquared: c.trigrams ** 2,
    titleSquared: c.title ** 2,
    rareTitle: c.title * c.evidence,
    sameNameAndFolders: c.sameName * c.folders,
  };
}

const MAX_GAP = 10;
const NO_OTHER = -12;

/** Inputs of the certainty of the first of the candidates in the order of their likeness. */
export function certaintyInputs(ranked: readonly Ranked[]): Record<string, number> {
  const [first] = ranked;
  if (!first) return {};
  const c = first.comparison;
  const likenessAt = (i: number): number => ranked[i]?.likeness ?? NO_OTHER;
  const gap = Math.min(MAX_GAP, first.likeness - likenessAt(1));
  const total = ranked.reduce((sum, { likeness }) => sum + Math.exp(likeness - first.likeness), 0);
  const twins = Math.min(3, twinsOf(ranked)) / 3;
  return {
    nameInName: c.nameInName,
    nameBack: c.nameBack,
    sameName: c.sameName,
    tail: c.tail,
    trigrams: c.trigrams,
    sameTitle: c.sameTitle,
    evidence: c.evidence,
    missing: c.missing,
    otherFile: c.otherFile,
    digitsMissing: c.digitsMissing,
    sameNameAndFolders: c.sameName * c.folders,
    likeness: first.likeness / 5,
    gap: gap / 5,
    gapToFourth: Math.min(MAX_GAP, first.likeness - likenessAt(3)) / 5,
    share: -Math.log(total),
    gapAndLikeness: (gap * first.likeness) / 25,
    twins,
    twinsOfSameName: twins * c.sameName,
  };
}

/** Number of other candidates with the name of the first. */
export function twinsOf(ranked: readonly Ranked[]): number {
  return ranked.slice(1).filter(({ base }) => base === ranked[0]?.base).length;
}

type Weights = Record<string, number>;

function weighted(inputs: Record<string, number>, weights: Weights): number {
  let sum = weights.constant ?? 0;
  for (const name in inputs) sum += (inputs[name] ?? 0) * (weights[name] ?? 0);
  return sum;
}

/** Candidates in the order of their likeness, best first; equal ones in the order of their URLs. */
export function rank(compared: readonly Compared[]): Ranked[] {
  return compared
    .map((one) => ({ ...one, likeness: weighted(likenessInputs(one.comparison), WEIGHTS.likeness) }))
    .sort((a, b) => b.likeness - a.likeness || (a.url < b.url ? -1 : 1));
}

/** Probability that the first candidate is the right one, if half of the pages have a target among the candidates. */
export function certaintyOf(ranked: readonly Ranked[]): number {
  return ranked.length === 0 ? 0 : 1 / (1 + Math.exp(-weighted(certaintyInputs(ranked), WEIGHTS.certainty)));
}
