/**
 * Redirects of one visitor and one country a second are added up by the database, the others are read, merged and written back. Whichever
 * way each second goes, a day must be what was counted: against sums and sets that are kept beside it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAggregator } from '../../../src/hits/count/aggregator.ts';
import { readHitSummary } from '../../../src/hits/report/hit-summary.ts';
import type { Request } from '../../../src/hits/record/request-batch.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { BROWSER, seeded } from '../../support/hit-traffic.ts';

const NOW = new Date('2031-03-05T12:00:00Z');
const RANGE = { from: '2031-03-01', to: '2031-03-31' };
const COUNTRIES = ['DE', 'FR', 'US'];

let database: FreshDatabase;
let websites = 0;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database?.close());

const ledger = () =>
  createAggregator({ db: database.db, visitors: createVisitors(Buffer.alloc(16, 9), () => '') });

function request(
  websiteId: number,
  redirectId: number,
  visitor: number,
  fields: Partial<Request> = {},
): Request {
  return {
    websiteId,
    environment: 'production',
    redirectId,
    path: '/',
    micros: 10,
    address: `192.0.${visitor >> 8}.${visitor & 255}`,
    userAgent: BROWSER,
    country: undefined,
    referrer: undefined,
    ...fields,
  };
}

const summaryOf = (websiteId: number, redirectId: number) =>
  readHitSummary(database.db, { websiteId, environment: 'production', redirectId }, RANGE);

test('seconds of any kind add up to the day', async () => {
  const websiteId = ++websites;
  const random = seeded(4711);
  const below = (limit: number): number => Math.floor(random() * limit);
  const model = new Map<
    number,
    { hits: number; bots: number; visitors: Set<number>; countries: Record<string, number> }
  >();
  const hits = ledger();
  for (let second = 0; second < 40; second++) {
    // Redirects from followed all the time to seldom, by one to all of 150 visitors: more than are told apart exactly.
    for (let i = 0; i < 200; i++) {
      const redirectId = 1 + Math.floor(40 ** random());
      const visitor = below(1 + ((redirectId * 53) % 150));
      const country = COUNTRIES[below(4)];
      const isBot = below(10) === 0;
      const day = model.get(redirectId) ?? { hits: 0, bots: 0, visitors: new Set(), countries: {} };
      model.set(redirectId, day);
      if (isBot) day.bots++;
      else {
        day.hits++;
        day.visitors.add(visitor);
        if (country !== undefined) day.countries[country] = (day.countries[country] ?? 0) + 1;
      }
      const agent = isBot ? { userAgent: 'Googlebot/2.1' } : {};
      hits.count(
        request(websiteId, redirectId, visitor, { country: country ?? '', ...agent }),
        NOW.getTime(),
      );
    }
    await hits.write(NOW);
  }
  expect([...model.values()].some(({ visitors }) => visitors.size > 100)).toBe(true);
  expect([...model.values()].some(({ visitors }) => visitors.size < 30)).toBe(true);
  for (const [redirectId, { hits: count, bots, visitors, countries }] of model) {
    const summary = await summaryOf(websiteId, redirectId);
    expect(summary).toMatchObject({ hits: count, botHits: bots, micros: 10 * count });
    expect(Object.fromEntries(summary.countries.map((each) => [each.country, each.hits]))).toEqual(countries);
    if (visitors.size <= 64) expect(summary.uniqueVisitors).toBe(visitors.size);
    else
      expect(Math.abs(summary.uniqueVisitors - visitors.size)).toBeLessThanOrEqual(visitors.size * 0.02 + 1);
  }
});

describe('a redirect with one visitor a second', () => {
  async function followedBy(visitors: number[]): Promise<number> {
    const websiteId = ++websites;
    const hits = ledger();
    for (const visitor of visitors) {
      hits.count(request(websiteId, 1, visitor), NOW.getTime());
      await hits.write(NOW);
    }
    const summary = await summaryOf(websiteId, 1);
    expect(summary.hits).toBe(visitors.length);
    return summary.uniqueVisitors;
  }
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

  test('has them counted exactly up to 64, whoever comes again', async () => {
    expect(await followedBy([...upTo(63), ...upTo(63)])).toBe(63);
    expect(await followedBy([...upTo(64), 0, 63])).toBe(64);
  });

  test('has them estimated beyond, and goes on counting', async () => {
    expect(await followedBy(upTo(65))).toBeGreaterThanOrEqual(64);
    const many = await followedBy([...upTo(90), ...upTo(90)]);
    expect(Math.abs(many - 90)).toBeLessThanOrEqual(2);
  });

  test('whom bots alone had followed, and then somebody', async () => {
    const websiteId = ++websites;
    const hits = ledger();
    hits.count(request(websiteId, 1, 1, { userAgent: 'Googlebot/2.1' }), NOW.getTime());
    await hits.write(NOW);
    expect(await summaryOf(websiteId, 1)).toMatchObject({
      hits: 0,
      botHits: 1,
      uniqueVisitors: 0,
      countries: [],
    });
    hits.count(request(websiteId, 1, 1, { country: 'DE' }), NOW.getTime());
    await hits.write(NOW);
    expect(await summaryOf(websiteId, 1)).toMatchObject({
      hits: 1,
      botHits: 1,
      uniqueVisitors: 1,
      countries: [{ country: 'DE', hits: 1 }],
    });
  });
});
