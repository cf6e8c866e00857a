/** How often it is noted that a redirect was followed. */
import { expect, test } from 'vitest';
import type { RedirectRow } from '../../../src/hits/count/batches.ts';
import { createNotedActivity } from '../../../src/hits/store/last-hits.ts';
import { createTallies, siteCounters } from '../../../src/hits/count/counters.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2030, 0, 1, 12);

/** Redirects 1 to `count`, each followed by a person at that moment. */
function followed(count: number, at: number): RedirectRow[] {
  const site = siteCounters(createTallies(), 0, 1, 0);
  return Array.from({ length: count }, (_, i) => {
    const place = site.redirects.placeOf(i + 1);
    if (at > 0) site.redirects.addHit(place, 1, at, 0);
    else site.redirects.addBot(place);
    return { site, place };
  });
}

test.each([
  ['a few redirects are noted once a minute', 1_000, [1_000, 0, 1_000, 1_000]],
  ['very many are noted once in ten minutes', 1_001, [1_001, 0, 0, 1_001]],
])('%s', (_name, count, expected) => {
  const noted = createNotedActivity();
  const seen = [NOON, NOON + MINUTE - 1, NOON + MINUTE, NOON + 10 * MINUTE].map((at) => {
    const news = noted.news(followed(count, at));
    noted.keep(news);
    return news.length;
  });
  expect(seen).toEqual(expected);
});

test('what only bots have followed is not noted', () => {
  expect(createNotedActivity().news(followed(3, 0))).toEqual([]);
});
