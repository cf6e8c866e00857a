/**
 * The reporter of hits with real files and a real HTTP server in place of the service. Holds the rules of
 * src/edge-agent/hits/hit-buffer.ts, hit-line.ts, hit-sender.ts, losses.ts, send-batch.ts and spool.ts.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createHitReporter,
  type HitReporter,
  type HitReporterLimits,
} from '../../../src/edge-agent/hits/hit-reporter.ts';
import { DAY_MS, systemClock } from '../../../src/platform/clock.ts';
import { ASSISTANT, BOT, hitRequest } from '../../support/hits.ts';
import { until } from '../../support/wait.ts';

interface Received {
  path: string | undefined;
  key: string | undefined;
  agent: string;
  series: string;
  batch: number;
  hits: Record<string, unknown>[];
}

type Respond = (response: ServerResponse, report: Received) => void;
const accept: Respond = (response) => response.end('{}');

let dir: string;
let server: Server;
let port: number;
let received: Received[];
let respond: Respond;
let errors: string[];
const reporters: HitReporter[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'detour-hits-'));
  received = [];
  errors = [];
  respond = accept;
  server = createServer((request, response) => void receive(request, response));
  await listen(0);
});
afterEach(async () => {
  for (const reporter of reporters.splice(0)) await reporter.stop(0);
  await close();
  await rm(dir, { recursive: true, force: true });
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as Received;
  const report = { ...body, path: request.url, key: request.headers.authorization };
  received.push(report);
  respond(response, report);
}

async function listen(at: number): Promise<void> {
  await new Promise<void>((resolve) => void server.listen(at, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
}

async function close(): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function start(limits: Partial<HitReporterLimits> = {}): HitReporter {
  const reporter = createHitReporter({
    endpoint: { url: `http://127.0.0.1:${port}/`, key: 'dtr_test', websiteId: 7, environment: 'staging' },
    agent: 'edge-1',
    dir: join(dir, 'hits'),
    clock: systemClock,
    onError: (error) => errors.push(String(error)),
    limits: { writeEveryMs: 10, sendEveryMs: 20, abandonedMs: 50, minPauseMs: 20, ...limits },
  });
  reporters.push(reporter);
  reporter.start();
  return reporter;
}

const hit = (fields: Parameters<typeof hitRequest>[0] | object = {}) => hitRequest({ websiteId: 7, ...fields });
const files = (): Promise<string[]> => readdir(join(dir, 'hits')).catch(() => []);
const reported = (reporter: HitReporter, hits: number) => until(async () => reporter.stats().reported === hits);
const SERIES = '0123456789abcdef';

/** A file that a killed process left. */
async function leave(name: string, content: string, ageMs = 60_000): Promise<void> {
  const file = join(dir, 'hits', name);
  await mkdir(join(dir, 'hits'));
  await writeFile(file, content);
  const at = (Date.now() - ageMs) / 1_000;
  await utimes(file, at, at);
}

test('reports each hit with what the service counts by, and removes its file', async () => {
  const reporter = start();
  reporter.record(
    hit({
      redirectId: 12,
      path: '/old',
      referrer: 'https://from.example/secret?q',
      utmSource: 'News',
      country: 'DE',
      micros: 30.6,
    }),
  );
  reporter.record(hit({ redirectId: null, path: '/missing', referrer: 'https://from.example/' }));
  await reported(reporter, 2);
  const [{ path, key, agent, batch, hits } = {} as Received] = received;
  expect({ path, key, agent, batch }).toEqual({
    path: '/api/v1/feeds/7/staging/hits',
    key: 'Bearer dtr_test',
    agent: 'edge-1',
    batch: 1,
  });
  const common = { at: expect.stringMatching(/^\d{4}-.*Z$/), address: '192.0.2.1', user_agent: hit().userAgent };
  expect(hits).toEqual([
    {
      ...common,
      redirect_id: '12',
      referrer: 'https://from.example',
      utm_source: 'News',
      country: 'DE',
      micros: 31,
    },
    { ...common, redirect_id: null, path: '/missing', referrer: 'https://from.example/', micros: 10 },
  ]);
  await until(async () => (await files()).length === 0);
  expect(reporter.stats()).toEqual({ recorded: 2, reported: 2, lost: 0, spooledBytes: 0, problem: null });
});

test('says of an assistant that it is one, and leaves people and bots to the service', async () => {
  const reporter = start();
  const agents = [hit().userAgent, BOT, ASSISTANT, 'claude-user'];
  for (const userAgent of agents) reporter.record(hit({ userAgent }));
  await reported(reporter, 4);
  const classes = received[0]?.hits.map((each) => [each['user_agent'], each['agent_class']]);
  expect(classes).toEqual(agents.map((agent, i) => [agent, i < 2 ? undefined : 'assistant']));
});

test('sends a batch with the same series and number until it is accepted, if responses are lost', async () => {
  let lost = 0;
  respond = (response, report) => {
    if (lost++ < 2) response.destroy();
    else accept(response, report);
  };
  const reporter = start();
  reporter.record(hit());
  await reported(reporter, 1);
  expect(received.length).toBe(3);
  expect(new Set(received.map(({ series, batch }) => `${series} ${batch}`)).size).toBe(1);
  expect(errors.join()).toMatch(/hits wait to be reported: the service cannot be reached/);
});

test('keeps hits on disk while the service is away, and a later start reports them under their numbers', async () => {
  const before = port;
  await close();
  const first = start();
  first.record(hit());
  await until(async () => first.stats().problem !== null);
  first.record(hit());
  first.record(hit());
  await first.stop(100);
  expect((await files()).every((name) => name.endsWith('.hits'))).toBe(true);
  expect(first.stats().reported).toBe(0);

  server = createServer((request, response) => void receive(request, response));
  await listen(before);
  const second = start();
  second.record(hit());
  await reported(second, 4);
  const own = received.at(-1)?.series;
  const numbers = received.filter(({ series }) => series !== own).map(({ batch }) => batch);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(received.map(({ series }) => series)).size).toBe(2);
});

test('reports the last batch of a process that was killed, without its incomplete line', async () => {
  await leave(`${SERIES}-000000000003.draft`, '{"at":"a"}\n{"at":"b"}\n{"at":"c');
  const reporter = start();
  await reported(reporter, 2);
  expect(received).toMatchObject([{ series: SERIES, batch: 3, hits: [{ at: 'a' }, { at: 'b' }] }]);
  await until(async () => reporter.stats().lost === 1);
});

test('leaves the current batch of a process that may still run', async () => {
  await leave(`${SERIES}-000000000003.draft`, '{"at":"a"}\n', 0);
  const reporter = start({ abandonedMs: 60_000 });
  reporter.record(hit());
  await reported(reporter, 1);
  expect(received[0]?.series).not.toBe(SERIES);
  expect(await files()).toContain(`${SERIES}-000000000003.draft`);
});

test('sends a batch without the hits that the service rejects, and counts and logs them as lost', async () => {
  respond = (response, report) => {
    const at = report.hits.findIndex(({ redirect_id: id }) => id === '99');
    if (at < 0) return accept(response, report);
    const path = `hits[${at}].redirect_id`;
    response.writeHead(422).end(JSON.stringify({ error: 'no such redirect', issues: [{ path }] }));
  };
  const reporter = start();
  for (const redirectId of [1, 99, 2, 99, 3]) reporter.record(hit({ redirectId }));
  await reported(reporter, 3);
  expect(received.at(-1)?.hits.map(({ redirect_id: id }) => id)).toEqual(['1', '2', '3']);
  expect(new Set(received.map(({ batch }) => batch))).toEqual(new Set([1]));
  await reporter.stop(1_000);
  expect(reporter.stats().lost).toBe(2);
  expect(errors.join()).toMatch(/1 hits were lost: the service responded 422: no such redirect/);
});

test('drops a batch that the service rejects as a whole, and continues with the next one', async () => {
  respond = (response, report) => (report.batch === 1 ? response.writeHead(400).end('no') : accept(response, report));
  const reporter = start();
  reporter.record(hit());
  await until(async () => reporter.stats().lost === 1);
  reporter.record(hit());
  await reported(reporter, 1);
});

test('keeps a batch after a 401, 403, 404, 429 or 5xx, and waits as long as the service demands', async () => {
  const statuses = [429, 401, 403, 404, 503];
  const times: number[] = [];
  respond = (response, report) => {
    times.push(performance.now());
    const status = statuses.shift();
    if (status === undefined) accept(response, report);
    else response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end('{"error":"later"}');
  };
  const reporter = start();
  reporter.record(hit());
  await reported(reporter, 1);
  expect(times.length).toBe(6);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(950);
  expect(reporter.stats()).toMatchObject({ lost: 0, problem: null });
});

test('loses hits beyond the limit of the disk or of the memory, and says how many', async () => {
  await close();
  const reporter = start({ maxSpoolBytes: 2_000, maxMemoryBytes: 1_500, writeEveryMs: 5 });
  for (let i = 0; i < 20; i++) reporter.record(hit());
  const overMemory = reporter.stats().lost;
  expect(overMemory).toBeGreaterThan(0);
  await until(async () => {
    for (let i = 0; i < 5; i++) reporter.record(hit());
    return reporter.stats().lost > overMemory + 20;
  });
  await reporter.stop(0);
  const { recorded, lost, spooledBytes } = reporter.stats();
  expect(spooledBytes).toBeLessThan(2_000 + 1_500);
  const lines = await storedLines();
  expect(recorded).toBe(lost + lines);
  expect(errors.join()).toMatch(/hits were lost: the folder of hits has reached its limit/);
  await listen(port);
});

async function storedLines(): Promise<number> {
  const texts = await Promise.all((await files()).map((name) => readFile(join(dir, 'hits', name), 'utf8')));
  return texts.join('').split('\n').length - 1;
}

test('cuts many hits into batches within both limits, numbered without gaps', async () => {
  const reporter = start({ maxBatchHits: 10, maxBatchBytes: 3_000 });
  for (let i = 0; i < 64; i++) reporter.record(hit({ userAgent: 'x'.repeat(i === 5 ? 2_000 : 20) }));
  await reported(reporter, 64);
  expect(received.map(({ batch }) => batch)).toEqual(received.map((_, index) => index + 1));
  for (const { hits } of received) {
    expect(hits.length).toBeLessThanOrEqual(10);
    expect(JSON.stringify(hits).length).toBeLessThanOrEqual(3_002);
  }
});

test('never sends a batch of which the service may have forgotten the number', async () => {
  await leave(`${SERIES}-000000000003.hits`, '{"at":"a"}\n', 26 * DAY_MS);
  const reporter = start();
  await until(async () => reporter.stats().lost === 1);
  await until(async () => (await files()).length === 0);
  expect(received).toEqual([]);
});
