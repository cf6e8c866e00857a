/** `npm run bench -- soak [minutes]`: visitors, edits, imports and webhooks at once; then what has grown or was lost. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { visit } from './client.ts';
import { helper } from './cleanup.ts';
import { createBench, createWebsite, postBulk, query, until } from './context.ts';
import { settledHits } from './hits.ts';
import { startLoad } from './load.ts';
import { rss } from './proc.ts';
import type { Arrivals } from './receiver.ts';
import { benchRow } from './rows.ts';
import type { Service } from './service.ts';
import { quantile } from './statistics.ts';

const ROWS = 10_000;
const SAMPLE_MS = 10_000;
const VISITS_PER_SAMPLE = 200;

/** Tables with a row for each change, which stays until its retention ends. */
const HISTORY =
  '^(events|deliveries|attempts|imports|import_errors|changes|deployments|versions|version_bounds|redirect_revisions)';

/** Growth over the second half of the run, as a share of the mean, that counts as flat. History has no limit. */
const LIMITS: Record<string, number> = {
  'RSS, MB': 0.1,
  'heap, MB': 0.25,
  descriptors: 0.1,
  'p99 of a redirect, ms': 0.5,
  'history tables, MB': Infinity,
  'other tables, MB': 0.1,
};

/** Runs for some minutes and prints a table. Resolves to whether everything is flat and exact. */
export async function soak(minutes: number): Promise<boolean> {
  const bench = createBench(ROWS, 1);
  const service = await bench.service();
  const website = await bench.website();
  const imported = await createWebsite(service, 'imported', true);
  const files = await bench.files();
  const receiver = helper('receiver.ts');
  const [port] = (await once(receiver.child, 'message')) as [number];
  const webhook = { name: 'soak', url: `http://127.0.0.1:${port}/`, events: ['redirect.updated'] };
  await service.keyCall('POST', '/api/webhooks', JSON.stringify(webhook));
  const path = encodeURIComponent(benchRow(7).oldPath);
  const found = await service.call<{ redirects: { id: number }[] }>(
    'GET',
    `/api/redirects?website_id=${website.id}&limit=1&q=${path}`,
  );
  const hitsBefore = await settledHits(service.databaseUrl);
  const counts = { answered: 0, edits: 0, imports: 0 };
  const end = performance.now() + minutes * 60_000;
  const repeat = async (work: () => Promise<void>, pauseMs: number): Promise<void> => {
    for (; performance.now() < end; await pause(pauseMs)) await work();
  };
  const edit = async (): Promise<void> => {
    const body = JSON.stringify({ new_path: `/edited/${counts.edits}` });
    await service.call('PUT', `/api/redirects/${found.redirects[0]?.id}`, body);
    counts.edits++;
  };
  const load = startLoad();
  const round = { port: Number(new URL(service.address).port), ms: 1_000, status: 30 };
  const samples: Record<string, number>[] = [];
  await Promise.all([
    repeat(async () => {
      const { answered } = await load.run({ ...round, website: { host: website.host, rules: ROWS } });
      counts.answered += answered;
    }, 1_000),
    repeat(edit, 500),
    repeat(() => postBulk(service, imported, files.ndjson(++counts.imports % 2)), 5_000),
    repeat(async () => {
      samples.push(await sample(service, website.host));
      counts.answered += VISITS_PER_SAMPLE;
    }, SAMPLE_MS),
  ]);
  await load.stop();

  const isFlat = Object.keys(LIMITS).map((name) =>
    printGrowth(
      name,
      samples.map((each) => each[name] ?? NaN),
    ),
  );
  const hits = (await settledHits(service.databaseUrl)) - hitsBefore;
  await until('deliveries', async () => (await count(service, "deliveries where state <> 'delivered'")) === 0, 100);
  // The receiver reports its count at the next arrival.
  receiver.child.send('next');
  const arrival = once(receiver.child, 'message');
  await edit();
  const [{ count: received }] = (await arrival) as [Arrivals];
  const isExact = [
    printExact('hits', hits, 'responses', counts.answered),
    printExact('events', await count(service, "events where event = 'redirect.updated'"), 'edits', counts.edits),
    printExact('deliveries', received, 'edits', counts.edits),
  ];
  console.log(`${counts.imports} imports of ${ROWS} rows, ${samples.length} samples`);
  return [...isFlat, ...isExact].every(Boolean);
}

async function sample(service: Service, host: string): Promise<Record<string, number>> {
  const times: number[] = [];
  for (let i = 0; i < VISITS_PER_SAMPLE; i++) {
    const start = performance.now();
    await visit(service.address, host, benchRow(i).oldPath);
    times.push(performance.now() - start);
  }
  const metrics = await (await fetch(`${service.address}/metrics`)).text();
  const metric = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
  return {
    'RSS, MB': rss(service.pid) / 1e6,
    'heap, MB': metric('nodejs_heap_size_used_bytes') / 1e6,
    descriptors: metric('process_open_fds'),
    'p99 of a redirect, ms': quantile(times, 0.99),
    'history tables, MB': (await tableBytes(service, `~ '${HISTORY}'`)) / 1e6,
    'other tables, MB': (await tableBytes(service, `!~ '${HISTORY}'`)) / 1e6,
  };
}

/** Size of the tables whose name fulfils the condition, with their indexes, in bytes. */
function tableBytes(service: Service, condition: string): Promise<number> {
  return query(service.databaseUrl, async (client) => {
    const { rows } = await client.query<{ bytes: string | null }>(
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ${condition}`,
    );
    return Number(rows[0]?.bytes);
  });
}

/** Prints the least squares line through the second half of the values, and returns whether it is flat. */
function printGrowth(name: string, values: number[]): boolean {
  const half = values.slice(Math.floor(values.length / 2));
  const mean = half.reduce((sum, value) => sum + value, 0) / half.length;
  const middle = (half.length - 1) / 2;
  const covariance = half.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const variance = half.reduce((sum, _value, at) => sum + (at - middle) ** 2, 0);
  const growth = ((covariance / variance) * (half.length - 1)) / mean;
  const limit = LIMITS[name] ?? 0;
  const verdict = limit === Infinity ? '' : growth <= limit ? 'flat' : 'GROWS';
  const text = `${name.padEnd(24)} mean ${mean.toFixed(1).padStart(8)}  growth ${(100 * growth).toFixed(1).padStart(6)} %`;
  console.log(`${text}  limit ${limit === Infinity ? 'none' : `${100 * limit} %`}  ${verdict}`);
  return growth <= limit;
}

function printExact(name: string, value: number, of: string, expected: number): boolean {
  console.log(`${name.padEnd(24)} ${value} of ${expected} ${of}  ${value === expected ? 'exact' : 'WRONG'}`);
  return value === expected;
}

function count(service: Service, from: string): Promise<number> {
  return query(service.databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${from}`);
    return rows[0]?.count ?? 0;
  });
}
