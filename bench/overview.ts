/** The overview report of 30 days with ten million stored days of redirects, over HTTP. */
import type { Client } from 'pg';
import { openDatabase } from '../src/db/connection/client.ts';
import { createMonthlyPartitions } from '../src/hits/store/monthly-partitions.ts';
import { addVisitor, createSketch, encodeSketch, MAX_EXACT_OF_WEBSITE } from '../src/hits/counters/visitor-sketch.ts';
import { utcDay } from '../src/platform/clock.ts';
import { type Bench, query } from './context.ts';
import { report } from './report.ts';
import { median, quantile } from './statistics.ts';

const ROWS = 10_000_000;
const DAYS = 365;
const REQUESTS = 200;
const VISITORS_A_DAY = 20_000;

/** Hits decrease with the rank of a redirect, and ranks change from day to day. */
export async function measureOverview(bench: Bench): Promise<void> {
  const service = await bench.service();
  // A smaller run fills fewer days, so that it stays quick.
  const rows = Math.min(ROWS, bench.rows * 10);
  const { website } = await service.call<{ website: { id: number } }>(
    'POST',
    '/api/websites',
    JSON.stringify({ name: 'overview', hosts: [], auto_deploy: false }),
  );
  await createPartitions(service.databaseUrl);
  await query(service.databaseUrl, async (client) => {
    await fillDays(client, website.id, Math.ceil(rows / DAYS));
    await fillVisitors(client, website.id);
    await client.query('analyze redirect_hits, website_hits, redirects');
  });
  const taken: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const start = performance.now();
    await service.download(`/api/v1/analytics/overview?website_id=${website.id}&period=30d`);
    taken.push(performance.now() - start);
  }
  report('overview', median(taken), { p95_ms: quantile(taken, 0.95), first_ms: taken[0] ?? NaN, rows });
}

function dayBefore(days: number): string {
  return utcDay(new Date(), -days);
}

async function createPartitions(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl, { max: 2 });
  for (let days = 0; days <= DAYS + 28; days += 28) await createMonthlyPartitions(db, dayBefore(days));
  await db.$client.end();
}

async function fillDays(client: Client, websiteId: number, redirects: number): Promise<void> {
  await client.query(
    `insert into redirects (website_id, key, old_path, new_path, status_code, is_regex, rev, in_prod)
     select $1, '/old/' || i, '/old/' || i, '/new/' || i, 301, false, 1, 1 from generate_series(1, $2::int) i`,
    [websiteId, redirects],
  );
  const few = createSketch(MAX_EXACT_OF_WEBSITE);
  for (let i = 1; i <= 3; i++) addVisitor(few, i * 0x9e3779b1, i);
  for (let ago = 0; ago < DAYS; ago++)
    await client.query(
      `insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
       select website_id, id, 'production', $2::date, 1 + (100000 / (rank + random() * 5))::int, 1, 500, '{"DE": 1}', $3
       from (select website_id, id, row_number() over (order by id) as rank from redirects where website_id = $1) r`,
      [websiteId, dayBefore(ago), encodeSketch(few)],
    );
}

/** Each day has other visitors, half of them from the previous day. */
async function fillVisitors(client: Client, websiteId: number): Promise<void> {
  for (let ago = 0; ago < DAYS; ago++) {
    const sketch = createSketch(MAX_EXACT_OF_WEBSITE);
    for (let i = 0; i < VISITORS_A_DAY; i++) {
      const visitor = i + (ago * VISITORS_A_DAY) / 2 + 1;
      addVisitor(sketch, Math.imul(visitor, 0x9e3779b1) >>> 0, Math.imul(visitor ^ 0x5bd1e995, 0x85ebca6b) >>> 0);
    }
    const countries = Object.fromEntries(COUNTRIES.map((code, i) => [code, 1_000 - i * 20]));
    await client.query(
      `insert into website_hits (website_id, environment, day, hits, bot_hits, micros, countries, visitors, unmatched, unmatched_bots)
       values ($1, 'production', $2, 1200000, 5000, 40000000, $3, $4, 900, 100)`,
      [websiteId, dayBefore(ago), JSON.stringify(countries), encodeSketch(sketch)],
    );
  }
}

const COUNTRIES = 'DE FR US GB SE NO DK NL BE ES IT PT PL CZ AT CH FI IE GR RO HU BG HR SK'.split(' ');
