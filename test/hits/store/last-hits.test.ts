/** How often `last_hit_at` of a redirect is written. */
import { expect, test } from 'vitest';
import type { RedirectRow } from '../../../src/hits/counters/write-batches.ts';
import { createLastHitThrottle } from '../../../src/hits/store/last-hits.ts';
import { createPendingCounters, redirectCounters, siteCounters } from '../../../src/hits/counters/counters.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2030, 0, 1, 12);

/** Redirects 1 to `count` with a human hit at `at`, or a bot hit if it is 0. */
function redirectsHit(count: number, at: number): RedirectRow[] {
  const pending = createPendingCounters();
  const site = siteCounters(pending, 0, 1, 0);
  return Array.from({ length: count }, (_, i) => {
    const redirect = redirectCounters(pending, site, i + 1);
    if (at > 0) redirect.addHit(1, at, 0);
    else redirect.botHits++;
    return { site, redirect };
  });
}

test.each([
  ['up to 1,000 redirects are due once a minute', 1_000, [1_000, 0, 1_000, 1_000]],
  ['more than 1,000 are due once in ten minutes', 1_001, [1_001, 0, 0, 1_001]],
])('%s', (_name, count, expected) => {
  const throttle = createLastHitThrottle();
  const seen = [NOON, NOON + MINUTE - 1, NOON + MINUTE, NOON + 10 * MINUTE].map((at) => {
    const due = throttle.due(redirectsHit(count, at));
    throttle.markWritten(due);
    return due.length;
  });
  expect(seen).toEqual(expected);
});

test('a redirect with only bot hits is never due', () => {
  expect(createLastHitThrottle().due(redirectsHit(3, 0))).toEqual([]);
});
