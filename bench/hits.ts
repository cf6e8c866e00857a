/** Hits: requests a second with recording on and off, what a second of them costs, and how fast they are written. */
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
/** Not measured: until the first of what a round counts is being written. */
const LEAD_MS = 1_500;
const ROUND_MS = 4_000;
const ROUNDS = 5;
const VISITORS = 20_000;
const FLUSHED = 50_000;
const WRITTEN_EVERY_MS = 1_000;

const AGENTS = Array.from(
  { length: 50 },
  (_, i) =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1${i}.0.0.0 Safari/537.36`,
);

/**
 * The host's website has `count` rules of bench/rows.ts live. Twice: on a day on which nobody came before, so that most of what is written
 * is new, and when each redirect was followed once.
 */
export async function measureRecording(databaseUrl: string, host: string, count: number): Promise<void> {
  const edges = await Promise.all(['on', 'off'].map((mode) => startEdge(databaseUrl, mode)));
  const [on, off] = edges;
  if (!on || !off) throw new Error('no edge');
  const visitSome = (edge: Edge) => visitFor(edge.port, host, LEAD_MS + ROUND_MS, () => visited(count));
  // Until the code is compiled: a service runs for longer than a second. What is counted by then is written before it begins.
  for (const edge of edges) await visitSome(edge);
  await pause(2 * WRITTEN_EVERY_MS);
  const before = await hitsWritten(databaseUrl);
  let answered = await measureOnAndOff(on, off, 'on the first visits of a day', visitSome);
  let path = 0;
  answered += (await visitFor(on.port, host, Infinity, () => (path < count ? path++ : undefined))).answered;
  await pause(2 * WRITTEN_EVERY_MS);
  answered += await measureOnAndOff(on, off, 'when each was followed before', visitSome);
  for (const { child } of edges) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  const written = (await hitsWritten(databaseUrl)) - before;
  report({
    name: 'hits written / requests answered meanwhile',
    value: written / answered,
    unit: 'x',
    promise: 1,
    atLeast: true,
    note: `${written} hits`,
  });
}

/** Answers how many requests were answered with recording on. */
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
    // In turn, and each first as often as the other.
    for (const edge of round % 2 === 0 ? [off, on] : [on, off]) {
      const started = await workOf(edge);
      const visits = await visit(edge);
      if (edge === on) answered += visits.answered;
      rate.set(edge, visits.rate);
      work.set(edge, ((await workOf(edge)) - started) / visits.answered);
      // What is left of one to be written is not to slow down the other.
      await pause(2 * WRITTEN_EVERY_MS);
    }
    const [recorded, plain] = [rate.get(on) ?? NaN, rate.get(off) ?? NaN];
    const [recording, answering] = [work.get(on) ?? NaN, work.get(off) ?? NaN];
    ratios.push(recorded / plain);
    rates.push(`${Math.round(recorded)} of ${Math.round(plain)}`);
    works.push(answering / recording);
    micros.push(`${recording.toFixed(1)} and ${answering.toFixed(1)}`);
  }
  report({
    name: `hits recorded a second / redirects a second with recording off, ${when}`,
    value: quantile(ratios, 0.5),
    unit: 'x',
    promise: 0.9,
    atLeast: true,
    note: `${rates.join(', ')} a second; ${VISITORS} visitors behind a proxy; client, both threads and PostgreSQL share the machine`,
  });
  report({
    name: `work of the answering thread a request, recording off / on, ${when}`,
    value: quantile(works, 0.5),
    unit: 'x',
    promise: 0.9,
    atLeast: true,
    note: `${micros.join(', ')} us with and without: what recording costs where a processor is free`,
  });
  return answered;
}

/** A second of hits of as many different redirects, written. */
export async function measureFlush(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl);
  await createMonthlyPartitionsAhead(db, systemClock.now());
  const visitors = createVisitors(Buffer.alloc(16, 1), () => 'DE');
  const aggregator = createBatchAggregator({ db, visitors });
  const encoder = createBatchEncoder();
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < FLUSHED; i++) {
      encoder.add(benchHit((i * 7_919) % 1_000_000, i + round * FLUSHED), Date.now());
      if (encoder.isFull()) aggregator.count(encoder.take());
    }
    aggregator.count(encoder.take());
    taken.push(await seconds(() => aggregator.write(systemClock.now())));
  }
  await db.$client.end();
  report({
    name: `hits of ${FLUSHED.toLocaleString('en')} different redirects, written a second`,
    value: FLUSHED / quantile(taken, 0.5),
    unit: '/s',
    note: 'counts, countries, visitors and last hit of each',
  });
}

function benchHit(redirect: number, visitor: number) {
  return {
    // No website has this id: its hits are in nobody's way.
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

/** What the thread that answers has worked so far, in microseconds. */
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
 * Zipf's law with exponent 1: of 1,000,000 redirects a tenth has five sixths of the visits. Less than servers were seen to have (Arlitt
 * and Williamson, 1996: nine tenths).
 */
function visited(count: number): number {
  const rank = Math.floor(count ** Math.random());
  return (rank * 7_919) % count;
}

interface Visits {
  answered: number;
  /** a second, without the lead-in */
  rate: number;
}

/** Visits for so long, or until `nextPath` has no more. */
async function visitFor(
  port: number,
  host: string,
  milliseconds: number,
  nextPath: () => number | undefined,
): Promise<Visits> {
  const start = performance.now();
  let [answered, measured] = [0, 0];
  const ask = (): string | undefined => {
    const path = nextPath();
    if (path === undefined) return undefined;
    const visitor = Math.floor(Math.random() * VISITORS);
    return `GET ${benchRow(path).oldPath} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${AGENTS[visitor % AGENTS.length]}\r\nX-Forwarded-For: ${addressOf(visitor)}\r\nAccept: text/html\r\n\r\n`;
  };
  const visit = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      const next = (now: number): void => {
        const request = now < start + milliseconds ? ask() : undefined;
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
