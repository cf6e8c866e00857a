import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { EdgeOutcome } from './edge.ts';

/** Results of a request for a managed website. A fallback is the 302 to the website's `fallback_url`. */
const RESULTS = ['redirected', 'gone', 'fallback', 'unmatched'] as const;
type Result = (typeof RESULTS)[number];

/** One response in so many is measured, because observing a histogram costs as much as finding the rule. */
const SAMPLE_EVERY = 64;

/** Responses to visitors since the start, in plain numbers: counting one takes nanoseconds. */
export interface OutcomeTotals {
  add(outcome: EdgeOutcome): void;
  /** Counts a request for a host that this process does not serve. */
  addMisdirected(): void;
  read(): [labels: { environment: Environment | 'none'; outcome: Result | 'misdirected' }, total: number][];
  /** Passes the seconds that one response in 64 took to `observe`. */
  sampleTo(observe: (seconds: number) => void): void;
}

export function createOutcomeTotals(): OutcomeTotals {
  const none = (): Record<Result, number> => ({ redirected: 0, gone: 0, fallback: 0, unmatched: 0 });
  const totals: Record<Environment, Record<Result, number>> = {
    production: none(),
    staging: none(),
    development: none(),
  };
  let misdirected = 0;
  let untilSample = SAMPLE_EVERY;
  let observe: ((seconds: number) => void) | undefined;
  return {
    add(outcome) {
      totals[outcome.live.environment][resultOf(outcome)]++;
      if (--untilSample > 0) return;
      untilSample = SAMPLE_EVERY;
      observe?.(outcome.micros / 1_000_000);
    },
    addMisdirected: () => void misdirected++,
    read: () => [
      ...ENVIRONMENTS.flatMap((environment) =>
        RESULTS.map((outcome): ReturnType<OutcomeTotals['read']>[number] => [
          { environment, outcome },
          totals[environment][outcome],
        ]),
      ),
      [{ environment: 'none', outcome: 'misdirected' }, misdirected],
    ],
    sampleTo: (next) => void (observe = next),
  };
}

function resultOf({ live, match, redirectId }: EdgeOutcome): Result {
  if (redirectId !== null) return match?.location === null ? 'gone' : 'redirected';
  return live.site.fallbackUrl === null ? 'unmatched' : 'fallback';
}
