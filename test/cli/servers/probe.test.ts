/** `detour sync nginx` asks the server for the samples of the file, and goes back if an answer differs from Detour. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { startStubFeed, type StubFeed } from '../../support/stub-feed.ts';

let api: StubFeed;
let web: Server;
let url: string;
let folder: string;
let out: string;
const asked: string[] = [];

/** A web server that redirects everything to the first line of the file, as it was at the last reload. */
beforeEach(async () => {
  api = await startStubFeed();
  folder = mkdtempSync(join(tmpdir(), 'detour-probe-'));
  out = join(folder, 'redirects.conf');
  asked.length = 0;
  web = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`);
    const [location = ''] = readFileSync(join(folder, 'loaded'), 'utf8').split('\n');
    response.writeHead(301, { location: `http://shop.example${location}` }).end();
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
});
afterEach(async () => {
  web.closeAllConnections();
  web.close();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

async function sync(...more: string[]): Promise<{ code: number; stderr: string }> {
  const reload = `cp ${out} ${join(folder, 'loaded')}`;
  const args = ['sync', 'nginx', '--out', out, '--test', 'true', '--reload', reload, ...more];
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const noted = text(stderr);
  const env = { HOME: folder, PATH: process.env['PATH'], DETOUR_URL: api.url, DETOUR_API_KEY: 'dtr_test' };
  const code = await run(args, { env, stdin: Readable.from([]), stdout: stdout.resume(), stderr });
  stderr.end();
  return { code, stderr: await noted };
}

/** A minute takes a second for the command, which pauses as long as ever. Returns the milliseconds that have passed for it. */
function fastTime(): () => number {
  const real = performance.now.bind(performance);
  const began = real();
  const passed = () => (real() - began) * 60;
  vi.spyOn(performance, 'now').mockImplementation(() => began + passed());
  return passed;
}
afterEach(() => void vi.restoreAllMocks());

const SAMPLES = '# sample: redirect 7 /a[x]?k=1\n# sample: redirect 7 /b\n# sample: redirect 8 /other\n';

test('answers that are the same as in Detour count, and other winners are not asked for', async () => {
  api.answers = { '/a[x]?k=1': '/new', '/b': '/new', '/other': '/elsewhere' };
  api.deploy(1, `/new\n${SAMPLES}`);
  expect(await sync('--probe', url)).toEqual({ code: 0, stderr: '' });
  const host = `shop.example:${new URL(url).port}`;
  expect(asked).toEqual([`HEAD ${host} /a[x]?k=1`, `HEAD ${host} /b`]);
  asked.length = 0;
  api.deploy(2, `/new\n# two\n${SAMPLES}`);
  expect([(await sync('--no-probe')).code, asked]).toEqual([0, []]);
});

test('a different answer puts the former file back and loads it', async () => {
  api.answers = { '/b': '/right' };
  api.deploy(1, `/right\n${SAMPLES}`);
  expect((await sync('--probe', url)).code).toBe(0);
  api.deploy(2, `/wrong\n${SAMPLES}`);
  const passed = fastTime();
  const { code, stderr } = await sync('--probe', url);
  expect([code, stderr]).toEqual([
    1,
    `detour: version 2: shop.example/b at ${url} is 301 /wrong, and in Detour 301 /right; the former file is loaded again\n`,
  ]);
  const loaded = readFileSync(join(folder, 'loaded'), 'utf8');
  expect([readFileSync(out, 'utf8'), loaded]).toEqual(Array(2).fill(`/right\n${SAMPLES}`));
  expect(existsSync(join(folder, '.redirects.conf.detour-former'))).toBe(false);
  expect(passed()).toBeGreaterThan(20_000);
  expect(asked.length).toBeGreaterThan(2);
});

test('without a former file a difference is noted', async () => {
  api.answers = { '/b': '/right' };
  api.deploy(1, `/wrong\n${SAMPLES}`);
  const passed = fastTime();
  const { code, stderr } = await sync('--probe', url);
  expect([code, stderr]).toEqual([0, expect.stringContaining('there is no former file to put back')]);
  expect(readFileSync(out, 'utf8')).toContain('/wrong');
  expect(passed()).toBeGreaterThan(20_000);
});

test('a server that is not reached is noted', async () => {
  api.answers = { '/b': '/right' };
  writeFileSync(out, 'former\n');
  web.close();
  api.deploy(1, `/right\n${SAMPLES}`);
  const { code, stderr } = await sync('--probe', url);
  expect([code, stderr]).toEqual([0, expect.stringContaining('are not compared with Detour: connect ECONNREFUSED')]);
});

test.each([
  [['--probe', 'ftp://x'], '--probe must be'],
  [['--probe', 'http://127.0.0.1', '--no-probe'], 'exclude each other'],
])('%j is rejected', async (args, message) => {
  expect(await sync(...args)).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
