/** `detour logs push`: src/cli/commands/push-logs.ts and src/cli/logs/follow.ts. */
import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFollower } from '../../src/cli/logs/follow.ts';
import { run } from '../../src/cli/run.ts';
import { startStubApi } from '../support/stub-api.ts';

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'detour-cli-logs-'));
  log = join(folder, 'access.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Counts as the service does: each file by its identity, only whole lines, and nothing before the stored position. */
function countingService() {
  const ends = new Map<string, number>();
  const lines: string[] = [];
  return {
    lines,
    async send({ id, offset, body }: Parameters<Parameters<typeof createFollower>[1]>[0]): Promise<number> {
      const sent = await text(body.open() as Readable);
      const end = ends.get(id) ?? 0;
      const whole = sent.slice(0, sent.lastIndexOf('\n') + 1);
      lines.push(
        ...whole
          .slice(Math.max(end - offset, 0))
          .split('\n')
          .slice(0, -1),
      );
      ends.set(id, Math.max(end, offset + whole.length));
      return ends.get(id) ?? 0;
    },
  };
}

test('a follower sends each line once, over rotations, an emptied file and its own restart', async () => {
  const { send, lines } = countingService();
  let follower = createFollower(log, send);
  const poll = async (times = 1): Promise<void> => {
    for (let i = 0; i < times; i++) await follower.poll();
  };
  await poll();
  writeFileSync(log, 'one\ntwo\nunfin');
  await poll();
  appendFileSync(log, 'ished\n');
  await poll();
  expect(lines).toEqual(['one', 'two', 'unfinished']);
  // The server writes to the renamed file until it opens the new one.
  renameSync(log, `${log}.1`);
  await poll();
  appendFileSync(`${log}.1`, 'late\n');
  writeFileSync(log, 'new file\n');
  await poll(6);
  expect(lines.slice(3)).toEqual(['late', 'new file']);
  truncateSync(log);
  await poll(2);
  appendFileSync(log, 'after emptying\n');
  await poll(2);
  expect(lines.slice(5)).toEqual(['after emptying']);
  await follower.close();
  follower = createFollower(log, send);
  appendFileSync(log, 'after a restart\n');
  await poll(2);
  expect(lines.slice(6)).toEqual(['after a restart']);
  await follower.close();
});

test('a failed call is repeated from the same position', async () => {
  const { send, lines } = countingService();
  let fails = true;
  const follower = createFollower(log, (part) => (fails ? Promise.reject(new Error('away')) : send(part)));
  writeFileSync(log, 'one\n');
  await expect(follower.poll()).rejects.toThrow('away');
  fails = false;
  await follower.poll();
  expect(lines).toEqual(['one']);
  await follower.close();
  writeFileSync(log, Buffer.from([0x1f, 0x8b, 8, 0]));
  await expect(createFollower(log, send).poll()).rejects.toThrow('is packed');
});

test('push sends each file with the options, and prints the counts and masked examples', async () => {
  const website = { id: '1', name: 'Shop', hosts: [], auto_deploy: true, held_environments: [] };
  const logs = { lines: 3, counted: 1, skipped: 0, not_ours: 0, invalid: 2, unused: 0, from: null, until: null };
  const examples = [{ line: 2, reason: 'invalid', value: 'aaa' }];
  const api = await startStubApi(({ path }) =>
    path.endsWith('/websites')
      ? { body: { websites: [website] } }
      : { body: { logs, format: 'combined', offset: null, examples } },
  );
  writeFileSync(log, 'a line\n');
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { HOME: folder, DETOUR_URL: api.url, DETOUR_API_KEY: 'dtr_test' };
  const printed = text(stdout);
  const args = ['logs', 'push', log, log, '--host', 'shop.example', '--stream', 'web-1'];
  expect(await run(args, { env, stdin: Readable.from([]), stdout, stderr })).toBe(0);
  stdout.end();
  expect(await printed).toContain('1 of 3 lines counted, 2 invalid\n  line 2: invalid: aaa');
  const sent = api.requests.filter(({ method }) => method === 'POST');
  expect(sent.map(({ query }) => query)).toEqual(Array(2).fill({ host: 'shop.example', stream: 'web-1' }));
  expect(sent.map(({ body }) => body)).toEqual(['a line\n', 'a line\n']);
  await api.close();
});
