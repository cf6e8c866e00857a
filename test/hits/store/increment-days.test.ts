/**
 * Both write paths of redirects (increment-days.ts, merge-days.ts), compared with sums and sets in the test. Holds the
 * rules of src/hits/store/merge-days.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readHitSummary } from '../../../src/hits/report/hit-summary.ts';
import type { Request } from '../../../src/hits/count/request-batch.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { ASSISTANT, BOT, hitRequest, localAggregator } from '../../support/hits.ts';
import { seeded } from '../../support/random.ts';

const NOW = new Date('2031-03-05T12:00:00Z');
const RANGE = { from: '2031-03-01', to: '2031-03-31' };
const COUNTRIES = ['DE', 'FR', 'US'];

let database: FreshDatabase;
let websites = 0;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database?.close());

const aggregator = () => localAggregator({ db: database.db, visitors: createVisitors(Buffer.alloc(16, 9), () => '') });

const request = (websiteId: number, redirectId: number, visitor: number, fields: Partial<Request> = {}): Request =>
  hitRequest({ websiteId, redirectId, address: `192.0.${visitor >> 8}.${visitor & 255}`, ...fields });

const summaryOf = (websiteId: number, redirectId: number) =>
  readHitSummary(database.db, { websiteId, environment: 'production', redirectId }, RANGE);

test('the writes of a day add up, whichever path each of them takes', async () => {
  const websiteId = ++websites;
  const random = seeded(4711);
  const below = (limit: number): number => Math.floor(random() * limit);
  const model = new Map<
    number,
    { hits: number; bots: number; assistants: number; visitors: Set<number>; countries: Record<string, number> }
  >();
  const hits = aggregator();
  for (let second = 0; second < 40; second++) {
    // From often to rarely hit redirects, with 1 to 150 visitors: more than a sketch counts exactly.
    for (let i = 0; i < 200; i++) {
      const redirectId = 1 + Math.floor(40 ** random());
      const visitor = below(1 + ((redirectId * 53) % 150));
      const country = COUNTRIES[below(4)];
      const kind = below(10);
      const day = model.get(redirectId) ?? { hits: 0, bots: 0, assistants: 0, visitors: new Set(), countries: {} };
      model.set(redirectId, day);
      if (kind === 0) day.bots++;
      else if (kind === 1) day.assistants++;
      else {
        day.hits++;
        day.visitors.add(visitor);
        if (country !== undefined) day.countries[country] = (day.countries[country] ?? 0) + 1;
      }
      const agent = kind > 1 ? {} : { userAgent: kind === 0 ? BOT : ASSISTANT };
      hits.count(request(websiteId, redirectId, visitor, { country: country ?? '', ...agent }), NOW.getTime());
    }
    await hits.write(NOW);
  }
  expect([...model.values()].some(({ visitors }) => visitors.size > 100)).toBe(true);
  expect([...model.values()].some(({ visitors }) => visitors.size < 30)).toBe(true);
  for (const [redirectId, { hits: count, bots, assistants, visitors, countries }] of model) {
    const summary = await summaryOf(websiteId, redirectId);
    expect(summary).toMatchObject({ hits: count, botHits: bots, assistantHits: assistants, micros: 10 * count });
    expect(Object.fromEntries(summary.countries.map((each) => [each.country, each.hits]))).toEqual(countries);
    if (visitors.size <= 64) expect(summary.uniqueVisitors).toBe(visitors.size);
    else expect(Math.abs(summary.uniqueVisitors - visitors.size)).toBeLessThanOrEqual(visitors.size * 0.02 + 1);
  }
});

describe('a redirect with one visitor per write', () => {
  async function visitorsAfter(visitors: number[]): Promise<number> {
    const websiteId = ++websites;
    const hits = aggregator();
    for (const visitor of visitors) {
      hits.count(request(websiteId, 1, visitor), NOW.getTime());
      await hits.write(NOW);
    }
    const summary = await summaryOf(websiteId, 1);
    expect(summary.hits).toBe(visitors.length);
    return summary.uniqueVisitors;
  }
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

  test('counts visitors exactly up to 64, and repeated visitors once', async () => {
    expect(await visitorsAfter([...upTo(63), ...upTo(63)])).toBe(63);
    expect(await visitorsAfter([...upTo(64), 0, 63])).toBe(64);
  });

  test('estimates visitors above 64, and still counts every hit', async () => {
    expect(await visitorsAfter(upTo(65))).toBeGreaterThanOrEqual(64);
    const many = await visitorsAfter([...upTo(90), ...upTo(90)]);
    expect(Math.abs(many - 90)).toBeLessThanOrEqual(2);
  });

  test('gets its first visitor on a day that has only bot hits', async () => {
    const websiteId = ++websites;
    const hits = aggregator();
    hits.count(request(websiteId, 1, 1, { userAgent: BOT }), NOW.getTime());
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
