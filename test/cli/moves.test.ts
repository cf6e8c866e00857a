/** `detour move`: a whole move by the command line, against a running service. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createSite } from '../support/site.ts';

const HOST = 'cli-move.example';
const NAMES = Array.from({ length: 30 }, (_, n) => `chapter-${n}-of-the-manual`);

let detour: TestDetour;
let owner: TestAccount;
let site: number;
let folder: string;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  site = await createSite(owner, [HOST]);
  folder = mkdtempSync(join(tmpdir(), 'detour-cli-moves-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await detour.stop();
});

async function move(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { HOME: folder, DETOUR_URL: detour.address, DETOUR_API_KEY: owner.key, DETOUR_WEBSITE: HOST };
  const outputs = Promise.all([text(stdout), text(stderr)]);
  const exit = await run(['move', ...args], { env, stdin: Readable.from([]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await outputs;
  return { exit, out, err };
}

const file = (name: string, lines: string[]): string => {
  writeFileSync(join(folder, name), lines.join('\n'));
  return join(folder, name);
};

test('a move is begun, decided by suggestion, spreadsheet and rule, applied and shown', async () => {
  expect((await move('status')).err).toContain('begin one with `detour move start`');
  expect(await move('start', 'lost')).toMatchObject({ exit: 2, err: expect.stringContaining('OLD NEW') });
  const old = file('old.txt', [
    ...NAMES.map((name) => `https://${HOST}/old/${name}.html`),
    `https://${HOST}/old/imprint`,
  ]);
  const next = file(
    'new.txt',
    NAMES.map((name) => `https://${HOST}/manual/${name}`),
  );
  const started = await move('start', old, next, '--name', 'Manual');
  expect(started, started.err).toMatchObject({ exit: 0, out: expect.stringMatching(/Manual: ready, 0 of 31 decided/) });

  const dry = await move('rows', '--accept', 'likely', '--dry-run');
  expect(dry.out).toMatch(/^would decide \d+ rows\n {2}\/old\//);
  const sheet = join(folder, 'rows.csv');
  expect(await move('rows', '-o', sheet)).toMatchObject({ exit: 0 });
  const [head = '', ...rows] = readFileSync(sheet, 'utf8').trim().split('\n');
  const columns = head.split(',');
  const edited = rows.slice(0, 12).map((row) => row.split(',')[0] ?? '');
  expect(columns).toEqual(expect.arrayContaining(['url', 'decision', 'target', 'revision']));
  const decisions = edited.map((url) => `${url},redirect,${url.replace('/old/', '/manual/').replace('.html', '')},,0`);
  file('edited.csv', ['url,decision,target,status_code,revision', ...decisions]);
  expect(await move('rows', '--import', join(folder, 'edited.csv'))).toMatchObject({
    exit: 0,
    out: 'decided 12 rows\n',
  });
  file('stale.csv', ['url,decision,target,status_code,revision', `${edited[0]},gone,,,0`]);
  expect(await move('rows', '--import', join(folder, 'stale.csv'))).toMatchObject({
    exit: 3,
    out: expect.stringContaining(`conflict ROW_CHANGED: ${edited[0]}`),
  });

  expect((await move('rules')).out).toMatch(/^1\. \/old\/.* -> \/manual\/.*: covers 18, agrees with 12/);
  expect(await move('rules', '--use', '9')).toMatchObject({ exit: 2 });
  expect((await move('rules', '--use', '1')).out).toBe('1 rule decided 18 rows\n');
  expect((await move('apply', '--dry-run')).out).toMatch(/^would create 1 \(1 pattern, 0 gone\), update 0/);
  const applied = await move('apply');
  expect(applied, applied.err).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/change chg_.*\nproduction: version/s),
  });
  expect(await detour.visit(HOST, `/old/${NAMES[20]}.html`)).toMatchObject({ location: `/manual/${NAMES[20]}` });
  expect((await move('status', '--all')).out).toMatch(/Manual: applied, 30 of 31 decided \(96 %\)/);
  expect((await owner.keyCall('GET', `/api/v1/websites/${site}/expectations`)).body.expectations).toHaveLength(30);
});

test('a sitemap index, a missing source and two outputs are refused before anything is sent', async () => {
  expect(await move('start', join(folder, 'absent.csv'), 'living')).toMatchObject({ exit: 2 });
  expect(await move('rows', '--accept', 'sure', '--import', 'x.csv')).toMatchObject({ exit: expect.any(Number) });
});
