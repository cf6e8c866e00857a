/** Suggests where a page went, or abstains. */
import { type CandidateIndex, findSpelling, urlOf } from './candidates.ts';
import { compare } from './compare.ts';
import { findCandidates } from './find-candidates.ts';
import { certaintyOf, LIKELY, rank, type Ranked, SURE, twinsOf } from './model.ts';
import type { Neighbours } from './neighbours.ts';
import type { Page } from './page-words.ts';
import { createQuery, type Query } from './query.ts';
import { reasonsOf, spellingReason, surfaceWords } from './reasons.ts';
import { differencesOf } from './spelling.ts';
import { findTypos } from './typos.ts';

export type Confidence = 'sure' | 'likely' | 'guess';

export interface Suggestion {
  /** URL of the candidate as it was given */
  target: string;
  /** 0 to 1; that of the first is the probability that it is right */
  score: number;
  reasons: string[];
}

export interface Suggested {
  suggested: 'redirect' | 'gone' | 'keep' | null;
  /** confidence of `suggested`; for `gone` at most `guess` */
  confidence: Confidence | null;
  reasons: string[];
  /** at most 10, best first */
  suggestions: Suggestion[];
}

export interface SuggestOptions {
  /** target of a page by the rules that are learnt from decisions */
  rules?: (url: string) => string | null;
  /** where decided pages of the same folder went: `learnNeighbours` */
  neighbours?: Neighbours;
  /** the page does not work although it is a candidate: another one is wanted */
  isBroken?: boolean;
}

const MAX_SUGGESTIONS = 10;
/** Below the first, a page has no near candidate; between both, there is nothing to suggest. */
const FAR = 0.05;
const GUESS = 0.15;
const NEIGHBOURS_SCORE = 0.6;
const RULE_SCORE = 0.9;
/** As `likely`, typos cost 0.9 % of the precision on the lists of GOV.UK. */
const TYPO_SCORE = 0.45;

/** Takes less than a millisecond. */
export function suggestFor(index: CandidateIndex, page: Page, options: SuggestOptions = {}): Suggested {
  const query = createQuery(index, page);
  const spelled = findSpelling(index, page.url);
  const spelling = spelled < 0 ? null : differencesOf(page.url, urlOf(index, spelled));
  const isItself = spelling?.names.length === 0 && isOneSite(page.url, urlOf(index, spelled));
  if (isItself && !options.isBroken)
    return { suggested: 'keep', confidence: 'sure', reasons: ['the page is living'], suggestions: [] };
  const others = findCandidates(index, query).filter((candidate) => !isItself || candidate !== spelled);
  const ranked = rank(others.map((candidate) => compare(index, query, candidate)));
  const differences = isItself ? null : spelling;
  let certainty = certaintyOf(ranked);
  let isSure = certainty >= SURE && twinsOf(ranked) === 0;
  if (differences) {
    moveToFront(ranked, spelled);
    isSure = differences.isSafe;
    certainty = Math.max(certainty, isSure ? SURE : LIKELY);
  }
  const learnt = differences ? null : learntTarget(index, query, options);
  const named = differences ? null : (learnt ?? (certainty < TYPO_SCORE ? typoTarget(index, query) : null));
  const reason = differences ? spellingReason(differences.names) : named?.reason;
  if (named) {
    const { candidate } = named;
    if (!ranked.some((one) => one.candidate === candidate)) ranked.push(...rank([compare(index, query, candidate)]));
    isSure &&= ranked[0]?.candidate === candidate;
    certainty = Math.max(ranked[0]?.candidate === candidate ? certainty : 0, named.score);
    moveToFront(ranked, candidate);
  }
  return present(index, query, page, ranked, certainty, isSure, reason);
}

/** A path and a URL with an origin belong to two websites. */
const isOneSite = (a: string, b: string): boolean => originOf(a) === originOf(b);
const originOf = (url: string): string => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase() ?? '';

function moveToFront(ranked: Ranked[], candidate: number): void {
  const at = ranked.findIndex((one) => one.candidate === candidate);
  const likeness = ranked[0]?.likeness ?? 0;
  for (const one of at < 0 ? [] : ranked.splice(at, 1)) ranked.unshift({ ...one, likeness });
}

/** A candidate that rules, neighbours or a typo name, with its minimum certainty. */
interface Named {
  candidate: number;
  score: number;
  reason: string;
}

/** The candidate that rules or neighbours name. */
function learntTarget(index: CandidateIndex, query: Query, { rules, neighbours }: SuggestOptions): Named | null {
  const byRule = rules?.(query.url) ?? null;
  const near = byRule === null ? (neighbours?.(query.url) ?? null) : null;
  const target = byRule ?? near?.target;
  const candidate = target === undefined ? -1 : findSpelling(index, target);
  if (candidate < 0) return null;
  if (!near) return { candidate, score: RULE_SCORE, reason: 'a rule learnt from decisions' };
  const reason = `${near.agree} of ${near.of} decided pages of ${near.folder} went there`;
  return { candidate, score: NEIGHBOURS_SCORE, reason };
}

/** The only candidate that differs by a typo. */
function typoTarget(index: CandidateIndex, { url, unknown }: Query): Named | null {
  if (unknown === 0) return null;
  const [candidate, ...others] = findTypos(index, url);
  if (candidate === undefined || others.length > 0) return null;
  return { candidate, score: TYPO_SCORE, reason: 'same path except for one letter' };
}

function present(
  index: CandidateIndex,
  query: Query,
  page: Page,
  ranked: Ranked[],
  certainty: number,
  isSure: boolean,
  firstReason?: string,
): Suggested {
  const words = surfaceWords(index, page);
  const best = ranked[0]?.likeness ?? 0;
  const suggestions = ranked.slice(0, MAX_SUGGESTIONS).map((one, i): Suggestion => {
    const reasons = reasonsOf(index, query, words, one);
    return {
      target: one.url,
      score: round(certainty * Math.exp(Math.min(0, one.likeness - best))),
      reasons: i === 0 && firstReason !== undefined ? [firstReason, ...reasons] : reasons,
    };
  });
  if (certainty < FAR)
    return { suggested: 'gone', confidence: 'guess', reasons: ['no candidate is near'], suggestions };
  if (certainty < GUESS) return { suggested: null, confidence: null, reasons: [], suggestions };
  const reasons = [...(suggestions[0]?.reasons ?? [])];
  const twins = twinsOf(ranked);
  if (twins > 0) reasons.push(`${twins} other candidates have the same name`);
  const confidence = isSure ? 'sure' : certainty >= LIKELY ? 'likely' : 'guess';
  return { suggested: 'redirect', confidence, reasons, suggestions };
}

const round = (score: number): number => Math.round(score * 1_000) / 1_000;
