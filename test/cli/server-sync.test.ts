/**
 * `detour sync nginx` as a process: what is in the file, and what the server loaded, also after a kill at any moment.
 * Holds the rules of src/cli/servers/server-sync.ts, download.ts, feed-head.ts, install.ts, lock.ts, run-shell.ts,
 * state.ts, target-file.ts and src/cli/commands/sync-server.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { startStubFeed, type StubFeed } from '../support/stub-feed.ts';
import { until } from '../support/wait.ts';

const CLI = join(import.meta.dirname, '../../src/cli.ts');
const WITHIN_MS = 30_000;

let api: StubFeed;
let folder: string;
let out: string;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  api = await startStubFeed();
  api.deploy(1, 'one\n');
  folder = mkdtempSync(join(tmpdir(), 'detour-sync-server-'));
  out = join(folder, 'redirects.conf');
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The server's log: what it tested and loaded, by content of the file. */
const log = (): string[] =>
  existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8').trim().split('\n') : [];
const noted = (what: string): string => `echo "${what} $(cat ${join(folder, 'redirects.conf')})" >> ${folder}/log`;
const content = (): string => readFileSync(out, 'utf8');

interface Commands {
  test?: string;
  reload?: string;
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function commandLine(args: string[], { test = 'true', reload = 'true' }: Commands) {
  const commands = ['--test', `${noted('test')}; ${test}`, '--reload', `${noted('reload')}; ${reload}`];
  return {
    args: ['sync', 'nginx', '--out', out, ...commands, ...args],
    env: { ...process.env, HOME: folder, DETOUR_URL: api.url, DETOUR_API_KEY: 'dtr_test' },
  };
}

/** Runs the command to its end in this process. */
async function sync(commands: Commands = {}, ...more: string[]): Promise<Ended> {
  const { args, env } = commandLine(more, commands);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const outputs = Promise.all([text(stdout), text(stderr)]);
  const code = await run(args, { env, stdin: Readable.from([]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [said, noted] = await outputs;
  return { code, stdout: said, stderr: noted };
}

interface Started {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  ended: Promise<Ended>;
}

/** Starts the command as a process, which a test can kill. */
function start(commands: Commands = {}, ...more: string[]): Started {
  const { args, env } = commandLine(more, commands);
  const child = spawn(process.execPath, [CLI, ...args], { env });
  children.add(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  return { child, stdout: () => said.stdout, stderr: () => said.stderr, ended };
}

/** Names beside the file, except the state and the log. */
const leftovers = (): string[] =>
  readdirSync(folder).filter((name) => !['log', 'redirects.conf', '.redirects.conf.detour-state'].includes(name));

describe('a single run', () => {
  test('writes, tests and reloads a version once, and reports what the server runs with', async () => {
    const first = await sync({}, '--json', '--agent', 'web-1');
    expect({ ...first, stdout: JSON.parse(first.stdout) }).toEqual({
      code: 0,
      stderr: '',
      stdout: {
        server: 'nginx',
        file: out,
        website_id: '1',
        environment: 'production',
        version: 1,
        changed: true,
        omitted: { count: 0, redirects: [] },
      },
    });
    expect([content(), log()]).toEqual(['one\n', ['test one', 'reload one']]);
    expect(api.reports.at(-1)).toEqual({
      agent: 'web-1',
      kind: 'nginx',
      serving: '1',
      since: '1',
      wait: '0',
      options: 'o',
    });
    const again = await sync();
    expect(again).toMatchObject({ code: 0, stdout: `nginx already runs with version 1 of production: ${out}\n` });
    expect([log().length, api.exports, leftovers()]).toEqual([2, 1, []]);
  });

  test('writes a file again that was changed by hand, and keeps its mode and a link to it', async () => {
    const link = join(folder, 'link.conf');
    writeFileSync(out, 'by hand\n');
    chmodSync(out, 0o640);
    symlinkSync('redirects.conf', link);
    await sync({}, '--timeout', '20');
    expect([content(), statSync(out).mode & 0o777]).toEqual(['one\n', 0o640]);
    writeFileSync(out, 'by hand\n');
    const real = out;
    out = link;
    expect((await sync()).code).toBe(0);
    out = real;
    expect([content(), lstatSync(link).isSymbolicLink()]).toEqual(['one\n', true]);
  });

  test('puts the former file back if the test refuses the new one', async () => {
    await sync();
    api.deploy(2, 'two\n');
    const refused = await sync({ test: 'echo "unknown directive" >&2; exit 7' }, '--json');
    expect([refused.code, content(), leftovers()]).toEqual([3, 'one\n', []]);
    expect(refused.stderr).toBe(
      'detour: version 2: the test ended with 7; the former file is back\n  unknown directive\n',
    );
    expect(JSON.parse(refused.stdout)).toMatchObject({ version: 2, changed: false, exit: 3 });
    expect(log()).toEqual(['test one', 'reload one', 'test two']);
    expect((await sync()).stdout).toBe(`nginx runs with version 2 of production: ${out}\n`);
  });

  test('removes a first file that the test refuses', async () => {
    const refused = await sync({ test: 'false' });
    expect([refused.code, existsSync(out)]).toEqual([3, false]);
  });

  test('puts the former file back and loads it again if the reload fails', async () => {
    await sync();
    api.deploy(2, 'two\n');
    const failed = await sync({ reload: '! grep -q two $DETOUR_FILE' });
    expect([failed.code, content()]).toEqual([1, 'one\n']);
    expect(failed.stderr).toContain('version 2: the reload ended with 1; the former file is loaded again');
    expect(log().slice(2)).toEqual(['test two', 'reload two', 'reload one']);
  });

  test('ends a command that takes too long, with its children', async () => {
    const refused = await sync({ test: 'sleep 60 & sleep 60' }, '--timeout', '1');
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('the test did not end within 1 s') });
  });

  test('does not wait for a server that a command starts, and keeps the key from the commands', async () => {
    const { code } = await sync({
      reload: `(sleep 5; echo "late $DETOUR_API_KEY") & echo "key:$DETOUR_API_KEY" >> ${folder}/log`,
    });
    expect([code, log().at(-1)]).toEqual([0, 'key:']);
  });

  test('lists redirects that the server cannot express, or refuses the version with --strict', async () => {
    api.deploy(2, '# head\n    # omitted: redirect 7 /a b: it requires a query\n');
    const strict = await sync({}, '--strict');
    expect(strict).toMatchObject({ code: 3, stderr: expect.stringContaining('version 2: 1 redirect cannot') });
    expect(existsSync(out)).toBe(false);
    const listed = await sync({}, '--json');
    expect(JSON.parse(listed.stdout).omitted).toEqual({
      count: 1,
      redirects: [{ id: '7', old_path: '/a b', reason: 'it requires a query' }],
    });
  });

  test.each([
    [['--once', '--watch'], 'exclude each other'],
    [['--website', 'other'], 'there is no website "other"'],
    [['--agent', 'a b'], '--agent must have'],
  ])('%j is rejected', async (args, message) => {
    const { code, stderr } = await sync({}, ...args);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
    expect(log()).toEqual([]);
  });
});

describe('a kill', () => {
  // The parent of the shell is the CLI.
  const KILL = 'kill -9 $PPID; sleep 60';

  test('during the test: the next run tests and loads the file', async () => {
    await sync();
    api.deploy(2, 'two\n');
    expect((await start({ test: KILL }).ended).code).toBe(null);
    expect(content()).toBe('two\n');
    const next = await sync();
    expect(next).toMatchObject({ code: 0, stderr: 'an interrupted installation is finished\n' });
    expect([content(), log().slice(2)]).toEqual(['two\n', ['test two', 'test two', 'reload two']]);
    expect(leftovers()).toEqual([]);
  });

  test('during the test of a broken file: the next run goes back, also without the service', async () => {
    await sync();
    api.deploy(2, 'broken\n');
    await start({ test: KILL }).ended;
    await api.close();
    const next = await sync({ test: '! grep broken $DETOUR_FILE' });
    expect([next.code, content()]).toEqual([1, 'one\n']);
    expect(next.stderr).toContain('version 2: the test ended with 1; the former file is back\n  broken\n');
    expect(next.stderr).toContain('the connection was refused');
    expect(log()).not.toContain('reload broken');
  });

  test('during the reload: the next run loads the file again', async () => {
    await start({ reload: KILL }).ended;
    expect((await sync()).code).toBe(0);
    expect(log()).toEqual(['test one', 'reload one', 'test one', 'reload one']);
  });

  test('while it goes back: the next run loads the former file', async () => {
    await sync();
    api.deploy(2, 'two\n');
    const killed = await start({ reload: `grep -q two $DETOUR_FILE && exit 1; ${KILL}` }).ended;
    expect([killed.code, content()]).toEqual([null, 'one\n']);
    await sync({ test: 'false' });
    expect(log().slice(4)).toEqual(['reload one', 'reload one', 'test two']);
    expect(content()).toBe('one\n');
  });

  test('before the swap: the next run begins again', async () => {
    await sync();
    const state = join(folder, '.redirects.conf.detour-state');
    const former = JSON.parse(readFileSync(state, 'utf8'));
    const pending = { ...former.installed, version: 2, sha256: 'f'.repeat(64), phase: 'testing', hadFormer: true };
    writeFileSync(state, JSON.stringify({ ...former, pending }));
    writeFileSync(join(folder, '.redirects.conf.detour-new'), 'half');
    expect((await sync()).code).toBe(0);
    expect([content(), log().length, leftovers()]).toEqual(['one\n', 2, []]);
  });
});

describe('--watch', () => {
  test('installs each new version, passes over a refused one, and catches up after the service was away', async () => {
    const watching = start({ test: '! grep -q broken $DETOUR_FILE' }, '--watch');
    await until(() => Promise.resolve(log().includes('reload one')), WITHIN_MS);
    api.deploy(2, 'broken\n');
    await until(() => Promise.resolve(watching.stderr().includes('version 2: the test ended with 1')), WITHIN_MS);
    expect(content()).toBe('one\n');
    api.deploy(3, 'three\n');
    await until(() => Promise.resolve(log().includes('reload three')), WITHIN_MS);
    const { port } = api;
    await api.close();
    await until(() => Promise.resolve(watching.stderr().includes('the connection was')), WITHIN_MS);
    expect([content(), watching.child.exitCode]).toEqual(['three\n', null]);
    api = await startStubFeed(port);
    api.deploy(4, 'four\n');
    await until(() => Promise.resolve(log().includes('reload four')), WITHIN_MS);
    // The next request reports what the server runs with, and waits.
    await until(() => Promise.resolve(api.reports.at(-1)?.['serving'] === '4'), WITHIN_MS);
    expect(api.reports.at(-1)).toMatchObject({ since: '4', wait: '50' });
    watching.child.kill('SIGTERM');
    expect((await watching.ended).code).toBe(0);
    expect(log().filter((line) => line.startsWith('reload'))).toEqual(['reload one', 'reload three', 'reload four']);
    expect(leftovers()).toEqual([]);
  });

  test('allows no second sync of the file, until it is killed', async () => {
    const watching = start({}, '--watch');
    await until(() => Promise.resolve(log().includes('reload one')), WITHIN_MS);
    const second = await sync();
    expect(second).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`(process ${watching.child.pid}) writes`),
    });
    watching.child.kill('SIGKILL');
    await watching.ended;
    expect((await sync()).code).toBe(0);
  });

  test('waits for a service that is away at its start, and ends at once for a website that does not exist', async () => {
    const { port } = api;
    await api.close();
    const watching = start({}, '--watch');
    await until(() => Promise.resolve(watching.stderr().includes('the connection was refused')), WITHIN_MS);
    api = await startStubFeed(port);
    api.deploy(5, 'five\n');
    await until(() => Promise.resolve(log().includes('reload five')), WITHIN_MS);
    watching.child.kill('SIGTERM');
    await watching.ended;
    expect((await sync({}, '--watch', '--website', 'other')).code).toBe(1);
  });
});
