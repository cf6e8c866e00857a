/** Hits: throughput and CPU time with recording on and off, and the speed of writing. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { openDatabase } from '../src/db/client.ts';
import { createMonthlyPartitionsAhead } from '../src/hits/store/monthly-partitions.ts';
import { createBatchAggregator } from '../src/hits/count/aggregator.ts';
import { createBatchEncoder } from '../src/hits/count/request-batch.ts';
import { createVisitors } from '../src/hits/count/visitor.ts';
import { systemClock } from '../src/platform/clock.ts';
import { quantile, report, seconds } from './report.ts';
import { benchRow } from './rows.ts';

const CONNECTIONS = 32;
/** Start of a round that is not measured, until the recorder writes the first hits of the round. */
const LEAD_MS = 1_500;
const ROUND_MS = 4_000;
const ROUNDS = 5;
const VISITORS = 20_000;
const WRITTEN_REDIRECTS = 50_000;
const WRITE_INTERVAL_MS = 1_000;

const AGENTS = Array.from(
  { length: 50 },
  (_, i) =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1${i}.0.0.0 Safari/537.36`,
);

/**
 * Measures recording on a website with `count` live rules of bench/rows.ts: on a day without hits, where most rows are
 * inserted, and after each redirect has had a hit.
 */
export async function measureRecording(databaseUrl: string, host: string, count: number): Promise<void> {
  const edges = await Promise.all(['on', 'off'].map((mode) => startEdge(databaseUrl, mode)));
  const [on, off] = edges;
  if (!on || !off) throw new Error('the edges did not start');
  const visitSome = (edge: Edge) => visitFor(edge.port, host, LEAD_MS + ROUND_MS, () => visited(count));
  // Warm up until the code is compiled, and wait until the hits of the warm-up are written.
  for (const edge of edges) await visitSome(edge);
  await pause(2 * WRITE_INTERVAL_MS);
  const before = await hitsWritten(databaseUrl);
  let answered = await measureOnAndOff(on, off, 'on a day without hits', visitSome);
  let path = 0;
  answered += (await visitFor(on.port, host, Infinity, () => (path < count ? path++ : undefined))).answered;
  await pause(2 * WRITE_INTERVAL_MS);
  answered += await measureOnAndOff(on, off, 'after each redirect had a hit', visitSome);
  for (const { child } of edges) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  const written = (await hitsWritten(databaseUrl)) - before;
  report({
    name: 'hits written / requests in the same time',
    value: written / answered,
    unit: 'x',
    promise: 1,
    atLeast: true,
    note: `${written} hits`,
  });
}

/** Returns the number of responses with recording on. */
async function measureOnAndOff(
  on: Edge,
  off: Edge,
  when: string,
  visit: (edge: Edge) => Promise<Visits>,
): Promise<number> {
  let answered = 0;
  const ratios: number[] = [];
  const rates: string[] = [];
  const works: number[] = [];
  const micros: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rate = new Map<Edge, number>();
    const work = new Map<Edge, number>();
    // Alternate which of the two goes first.
    for (const edge of round % 2 === 0 ? [off, on] : [on, off]) {
      const started = await workOf(edge);
      const visits = await visit(edge);
      if (edge === on) answered += visits.answered;
      rate.set(edge, visits.rate);
      work.set(edge, ((await workOf(edge)) - started) / visits.answered);
      // The writes of one must not slow down the other.
      await pause(2 * WRITE_INTERVAL_MS);
    }
    const [onRate, offRate] = [rate.get(on) ?? NaN, rate.get(off) ?? NaN];
    const [onWork, offWork] = [work.get(on) ?? NaN, work.get(off) ?? NaN];
    ratios.push(onRate / offRate);
    rates.push(`${Math.round(onRate)} of ${Math.round(offRate)}`);
    works.push(offWork / onWork);
    micros.push(`${onWork.toFixed(1)} and ${offWork.toFixed(1)}`);
  }
  report({
    name: `redirects per second, recording on / off, ${when}`,
    value: quantile(ratios, 0.5),
    unit: 'x',
    promise: 0.9,
    atLeast: true,
    note: `${rates.join(', ')} per second; ${VISITORS} visitors; client, both threads and PostgreSQL share the machine`,
  });
  report({
    name: `CPU time of the main thread per request, recording off / on, ${when}`,
    value: quantile(works, 0.5),
    unit: 'x',
    promise: 0.9,
    atLeast: true,
    note: `${micros.join(', ')} µs with and without recording`,
  });
  return answered;
}

/** Writes one hit of each of many redirects. */
export async function measureWrites(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl);
  await createMonthlyPartitionsAhead(db, systemClock.now());
  const visitors = createVisitors(Buffer.alloc(16, 1), () => 'DE');
  const aggregator = createBatchAggregator({ db, visitors });
  const encoder = createBatchEncoder();
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < WRITTEN_REDIRECTS; i++) {
      encoder.add(benchHit((i * 7_919) % 1_000_000, i + round * WRITTEN_REDIRECTS), Date.now());
      if (encoder.isFull()) aggregator.count(encoder.take());
    }
    aggregator.count(encoder.take());
    taken.push(await seconds(() => aggregator.write(systemClock.now())));
  }
  await db.$client.end();
  report({
    name: `hits of ${WRITTEN_REDIRECTS.toLocaleString('en')} different redirects written per second`,
    value: WRITTEN_REDIRECTS / quantile(taken, 0.5),
    unit: '/s',
    note: 'with countries, visitors and last hits',
  });
}

function benchHit(redirect: number, visitor: number) {
  return {
    // No website has this id.
    websiteId: 2_000_000_000,
    environment: 'production' as const,
    redirectId: redirect + 1,
    path: '/',
    micros: 30,
    address: addressOf(visitor),
    userAgent: AGENTS[visitor % AGENTS.length] ?? '',
    country: undefined,
    referrer: undefined,
  };
}

interface Edge {
  child: ChildProcess;
  port: number;
}

async function startEdge(databaseUrl: string, mode: string): Promise<Edge> {
  const child = fork('bench/hit-edge.ts', [databaseUrl, mode]);
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
}

/** CPU time of the main thread so far, in microseconds. */
async function workOf({ child }: Edge): Promise<number> {
  child.send('work');
  const [micros] = (await once(child, 'message')) as [number];
  return micros;
}

async function hitsWritten(databaseUrl: string): Promise<number> {
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ hits: string }>(
    'select coalesce(sum(hits), 0)::text as hits from website_hits',
  );
  await client.end();
  return Number(rows[0]?.hits);
}

function addressOf(visitor: number): string {
  const number = (visitor * 7_919) % VISITORS;
  return `${20 + (number % 150)}.${number >> 8}.${number & 255}.7`;
}

/**
 * Chooses a redirect by Zipf's law with exponent 1: a tenth of 1,000,000 redirects gets five sixths of the visits. Real
 * servers are more skewed (Arlitt and Williamson, 1996: nine tenths).
 */
function visited(count: number): number {
  const rank = Math.floor(count ** Math.random());
  return (rank * 7_919) % count;
}

interface Visits {
  answered: number;
  /** per second, without the start of the round */
  rate: number;
}

/** Sends requests for `milliseconds`, or until `nextPath` returns undefined. */
async function visitFor(
  port: number,
  host: string,
  milliseconds: number,
  nextPath: () => number | undefined,
): Promise<Visits> {
  const start = performance.now();
  let [answered, measured] = [0, 0];
  const nextRequest = (): string | undefined => {
    const path = nextPath();
    if (path === undefined) return undefined;
    const visitor = Math.floor(Math.random() * VISITORS);
    return `GET ${benchRow(path).oldPath} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${AGENTS[visitor % AGENTS.length]}\r\nX-Forwarded-For: ${addressOf(visitor)}\r\nAccept: text/html\r\n\r\n`;
  };
  const visit = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      const next = (now: number): void => {
        const request = now < start + milliseconds ? nextRequest() : undefined;
        if (request !== undefined) return void socket.write(request);
        socket.end();
        resolve();
      };
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        const text = chunk.toString('latin1');
        if (!text.startsWith('HTTP/1.1 30')) return reject(new Error(text.slice(0, 200)));
        const now = performance.now();
        answered++;
        if (now >= start + LEAD_MS) measured++;
        next(now);
      });
      next(start);
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, visit));
  return { answered, rate: measured / ((performance.now() - start - LEAD_MS) / 1_000) };
}
