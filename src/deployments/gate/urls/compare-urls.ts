import { stopwatch } from '../../../platform/clock.ts';
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { LossReason, ShadowKind } from '../../../vocabulary/urls.ts';
import { answerOf, requestFor, type UrlSite } from './answer-of.ts';
import { MAX_CHECK_MS } from './check-urls.ts';
import { firstUrls, type RankedUrl } from './first-urls.ts';
import type { SiteUrls } from './read-urls.ts';

/** URLs that a comparison lists of each kind. */
const MAX_LISTED = 1_000;

/** A URL that the new rules lose, or a living page that they hide. */
export type UrlFailure = { url: string; weight: number } & (
  { kind: 'url_lost'; reason: LossReason } | { kind: 'url_shadowed'; oldPath: string; shadow: ShadowKind }
);

/** The effect of the new rules on the URLs. The lists have the first 1,000 of each kind, worst first. */
export interface UrlComparison {
  passed: number;
  lost: number;
  shadowed: number;
  failures: UrlFailure[];
  /** living pages that a literal rule for exactly their URL hides */
  covered: { count: number; urls: string[] };
  /** the comparison reached its time limit, so the counts are not complete */
  isCutShort: boolean;
}

const OUTCOMES = ['passed', 'lost', 'shadowed', 'covered'] as const;
type Outcome = (typeof OUTCOMES)[number];

/**
 * Compares the answers of all URLs under the live rules and under new ones, on the list as it is now. A URL fails if the
 * new rules lose it and the live ones do not, or if it is a living page that they newly hide by a pattern or by folding
 * case or slash. Accepted losses pass. Yields to the event loop, and stops after `maxMs`.
 */
export async function compareUrls(
  { urls }: SiteUrls,
  { live, candidate }: { live: UrlSite; candidate: UrlSite },
  isAccepted: (url: string) => boolean,
  maxMs = MAX_CHECK_MS,
): Promise<UrlComparison> {
  const startedAt = stopwatch();
  const slice = createTimeSlice();
  const outcomes = new Uint8Array(urls.size);
  const counts = { passed: 0, lost: 0, shadowed: 0, covered: 0 };
  const answer = (site: UrlSite, index: number) =>
    answerOf(site, requestFor(site, urls.text(index)), urls.state(index), urls.stateOf);
  // The live rules matter only for the few URLs that the new ones lose or hide.
  const outcomeOf = (index: number): Outcome => {
    const after = answer(candidate, index);
    if (after.answer === 'lost') {
      const isLoss = answer(live, index).answer !== 'lost' && !isAccepted(urls.text(index));
      return isLoss ? 'lost' : 'passed';
    }
    if (after.answer !== 'shadowed' || answer(live, index).answer === 'shadowed') return 'passed';
    return after.shadow === 'literal' ? 'covered' : 'shadowed';
  };
  let isCutShort = false;
  for (let index = 0; index < urls.size && !isCutShort; index++) {
    if (slice.isOver()) {
      await slice.yield();
      isCutShort = stopwatch() - startedAt > maxMs;
    }
    const outcome = outcomeOf(index);
    counts[outcome]++;
    outcomes[index] = OUTCOMES.indexOf(outcome);
  }
  const first = (outcome: Outcome): Promise<RankedUrl[]> =>
    firstUrls(urls, (index) => outcomes[index] === OUTCOMES.indexOf(outcome), { limit: MAX_LISTED }, slice);
  const failures: UrlFailure[] = [];
  for (const { index, ...rank } of counts.lost > 0 ? await first('lost') : [])
    failures.push({ ...rank, kind: 'url_lost', reason: answer(candidate, index).reason ?? 'unanswered' });
  for (const { index, ...rank } of counts.shadowed > 0 ? await first('shadowed') : []) {
    const { rule, shadow = 'pattern' } = answer(candidate, index);
    failures.push({ ...rank, kind: 'url_shadowed', oldPath: rule?.key ?? '', shadow });
  }
  const covered = counts.covered > 0 ? await first('covered') : [];
  return {
    ...counts,
    passed: counts.passed + counts.covered,
    failures,
    covered: { count: counts.covered, urls: covered.map(({ url }) => url) },
    isCutShort,
  };
}
