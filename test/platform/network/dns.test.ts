import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveHost } from '../../../src/platform/network/dns.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';

let server: NameServer;
beforeAll(async () => {
  server = await startNameServer({
    'both.example': ['192.0.2.1', '192.0.2.2', '20010db8000000000000000000000001'],
    'four.example': ['192.0.2.3'],
    'six.example': ['20010db8000000000000000000000002'],
    ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`silent${i}.example`, 'silent'])),
  });
});
afterAll(() => server.stop());

test.each([
  ['both.example', ['192.0.2.1', '192.0.2.2', '2001:db8::1']],
  ['four.example', ['192.0.2.3']],
  ['six.example', ['2001:db8::2']],
])('%s has all its addresses of both families', async (host, addresses) => {
  expect((await resolveHost(host, [server.address])).sort()).toEqual(addresses);
});

test('rejects a name that neither DNS nor the system knows', async () => {
  await expect(resolveHost('unknown.invalid', [server.address])).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
  expect(server.asked).toContain('unknown.invalid');
});

test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.b.localhost'])(
  '%s is loopback, without a DNS query',
  async (host) => {
    const before = server.asked.length;
    expect(await resolveHost(host, [server.address])).toEqual(['127.0.0.1', '::1']);
    expect(await resolveHost(host)).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toHaveLength(before);
  },
);

test('40 names whose servers do not respond delay neither other names nor the threads of files and passwords', async () => {
  const resolve = (host: string) => resolveHost(host, [server.address]);
  let answered = 0;
  for (let i = 0; i < 40; i++) {
    const count = (): number => (answered += 1);
    void resolve(`silent${i}.example`).then(count, count);
  }
  expect(await resolve('four.example')).toEqual(['192.0.2.3']);
  await Promise.all(Array.from({ length: 8 }, () => readFile(import.meta.filename)));
  await promisify(pbkdf2)('password', 'salt', 10, 32, 'sha256');
  expect(answered).toBe(0);
  expect(new Set(server.asked.filter((name) => name.startsWith('silent'))).size).toBe(40);
});
