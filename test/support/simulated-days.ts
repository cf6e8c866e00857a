/** Simulates 90 days of requests to a large and a small website, and verifies the reports of the analytics API. */
import { expect } from 'vitest';
import { readHitSummary } from '../../src/hits/report/hit-summary.ts';
import { DAY_MS, utcDay } from '../../src/platform/clock.ts';
import { testClock } from './clock.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from './detour.ts';
import { type Expected, fixedVisitorKey, sendTraffic } from './hit-traffic.ts';
import { addRedirect, createSite, settled } from './site.ts';
import { until } from './wait.ts';

const DAYS = 90;
const QUIET_DAY = 77;
const REDIRECTS = 12;

export interface Simulation {
  /** of the large website; the small one has a twentieth of the hits, and at most 700 visitors */
  hits: number;
  visitors: number;
  processes: number;
}

/** Expects exact hits, and visitors within 2 %. */
export async function simulateDays({ hits, visitors, processes }: Simulation): Promise<void> {
  const clock = testClock('2030-02-10T06:00:00.000Z');
  const env = { TRUST_PROXY: '1', COUNTRY_HEADER: 'cf-ipcountry' };
  const detour = await startTestDetour(env, { clock, prepare: fixedVisitorKey });
  try {
    const addresses = [detour.address];
    while (addresses.length < processes) addresses.push((await detour.another()).address);
    const owner = await detour.account();
    const start = clock.now().toISOString();
    for (const [name, share, visitorCount] of [
      ['large', 1, visitors],
      ['small', 0.05, 700],
    ] as const) {
      clock.set(start);
      const host = `${name}.example`;
      const site = await makeSite(owner, host, addresses);
      const plan = { clock, addresses, host, redirects: REDIRECTS, days: DAYS, quietDay: QUIET_DAY };
      const sent = await sendTraffic({ ...plan, hits: Math.round(hits * share), visitors: visitorCount });
      await waitUntilWritten(detour, site.websiteId, sent.website);
      await expectReport(owner, `overview?website_id=${site.websiteId}&period=${DAYS}d`, sent.website, clock.now());
      for (const [i, redirect] of sent.redirects.entries())
        await expectReport(owner, `redirects/${site.redirectIds[i]}?period=${DAYS}d`, redirect, clock.now());
    }
  } finally {
    await detour.stop();
  }
}

async function makeSite(
  owner: TestAccount,
  host: string,
  addresses: string[],
): Promise<{ websiteId: number; redirectIds: number[] }> {
  const websiteId = await createSite(owner, [host]);
  const redirectIds: number[] = [];
  for (let i = 0; i < REDIRECTS; i++)
    redirectIds.push(await addRedirect(owner, websiteId, { old_path: `/r/${i}`, new_path: `/to/${i}` }));
  await settled(owner, websiteId);
  // Wait until every process serves the redirects. HEAD is not counted.
  for (const address of addresses)
    await until(async () => {
      const { status } = await visitAt(address, host, `/r/${REDIRECTS - 1}`, { method: 'HEAD' });
      return status < 400;
    });
  return { websiteId, redirectIds };
}

/** Waits until the database has every request: the processes write every second. */
function waitUntilWritten({ db }: TestDetour, websiteId: number, { hits, bots, unmatched }: Expected): Promise<true> {
  const all = { from: '2000-01-01', to: '2999-12-31' };
  return until(async () => {
    const found = await readHitSummary(db, { websiteId, environment: 'production' }, all);
    return found.hits >= hits && found.botHits >= bots && found.unmatched >= unmatched;
  }, 120_000).then(() => true);
}

interface Report {
  total_hits: number;
  unique_visitors: number;
  avg_response_time: string;
  top_countries: string[];
  daily_hits: { date: string; hits: number }[];
  bot_hits: number;
}

async function expectReport(owner: TestAccount, path: string, sent: Expected, now: Date): Promise<void> {
  const { status, body } = await owner.keyCall<Report>('GET', `/api/v1/analytics/${path}`);
  expect(status).toBe(200);
  expect([body.total_hits, body.bot_hits]).toEqual([sent.hits, sent.bots]);
  expect(body.daily_hits).toEqual(
    Array.from({ length: DAYS }, (_, ago) => {
      const date = utcDay(new Date(now.getTime() - ago * DAY_MS));
      return { date, hits: sent.byDay.get(date) ?? 0 };
    }),
  );
  const byHits = [...sent.countries].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  expect(body.top_countries).toEqual(byHits.slice(0, 10).map(([country]) => country));
  const count = sent.visitors.size;
  // Days that are over are stored as registers: numbers below 50 are at most one off.
  expect(Math.abs(body.unique_visitors - count)).toBeLessThanOrEqual(Math.max(1, 0.02 * count));
  expect(Number.parseFloat(body.avg_response_time)).toBeGreaterThan(0);
}
