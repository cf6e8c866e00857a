/** Holds the rules of src/redirects/feed/recheck-waits.ts. */
import { Registry } from 'prom-client';
import { expect, test, vi } from 'vitest';
import { createVersionWaits, type VersionWait } from '../../../src/redirects/feed/version-waits.ts';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import { DomainError } from '../../../src/vocabulary/error.ts';
import { until } from '../../support/wait.ts';

type Listener = (websiteId: number, environment?: Environment) => void;

function waitsWith(limits = { perAccount: 3, inAll: 4 }) {
  const listeners: Listener[] = [];
  const readChanges = vi.fn(async (_accountIds: number[]) => new Map<number, string>());
  const onError = vi.fn();
  const registry = { observe: (listener: Listener) => void listeners.push(listener) };
  const waits = createVersionWaits(registry, new Registry(), { limits, readChanges, onError });
  let version = 1;
  const wait = (fields: Partial<VersionWait> = {}): Promise<boolean> =>
    waits.wait({
      accountId: 1,
      websiteId: 7,
      environment: 'production',
      hasNews: () => version > 1,
      recheck: async () => {},
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      ...fields,
    });
  const publish = (websiteId: number, environment?: Environment): void => {
    version++;
    for (const listener of listeners) listener(websiteId, environment);
  };
  const changed = (websiteId: number): void => listeners.forEach((listener) => listener(websiteId));
  return { waits, wait, publish, changed, readChanges, onError };
}

test('a wait ends when its environment has news, and not by changes without', async () => {
  const { wait, publish, changed } = waitsWith();
  let ended = 0;
  const held = wait().finally(() => ended++);
  const staging = wait({ environment: 'staging', timeoutMs: 60_000 }).finally(() => ended++);
  changed(7);
  await Promise.resolve();
  expect(ended).toBe(0);
  publish(7, 'production');
  expect(await held).toBe(true);
  expect(ended).toBe(1);
  changed(7);
  expect(await staging).toBe(true);
  expect(await wait()).toBe(true);
});

test('a wait ends without news at its timeout, when its client leaves, and at the stop', async () => {
  const { waits, wait } = waitsWith();
  expect(await wait({ timeoutMs: 1 })).toBe(false);
  const client = new AbortController();
  const held = wait({ signal: client.signal });
  client.abort();
  expect(await held).toBe(false);
  expect(await wait({ signal: client.signal })).toBe(false);
  const last = wait();
  waits.stop();
  expect([await last, await wait()]).toEqual([false, false]);
});

test('when all waits are taken, the account with the most gives one to an account with fewer', async () => {
  const { waits, wait } = waitsWith({ perAccount: 3, inAll: 4 });
  const ended: number[] = [];
  const held = [1, 1, 1, 2].map((accountId, at) => wait({ accountId }).then(() => ended.push(at)));
  const third = wait({ accountId: 3 });
  await Promise.resolve();
  await held[0];
  expect(ended).toEqual([0]);
  // No account has two more than another now.
  await expect(wait({ accountId: 2 })).rejects.toMatchObject({ code: 'BUSY' });
  waits.stop();
  await Promise.all([...held, third]);
});

test('an account and the process have a limit, and each end of a wait frees a place', async () => {
  const { wait } = waitsWith();
  const clients = [1, 1, 1].map(() => new AbortController());
  const held = clients.map(({ signal }) => wait({ signal }));
  await expect(wait()).rejects.toMatchObject({ code: 'BUSY', retryAfter: 10 });
  const other = wait({ accountId: 2 });
  clients[0]?.abort();
  expect(await held[0]).toBe(false);
  expect(await wait({ timeoutMs: 1 })).toBe(false);
  for (const client of clients) client.abort();
  await Promise.all(held);
  const more = [wait({ accountId: 3, timeoutMs: 1 }), wait({ accountId: 3, timeoutMs: 1 })];
  expect(await Promise.all(more)).toEqual([false, false]);
  void other;
});

test('a change of an account checks its waits again, once; one that may not wait fails, the others go on', async () => {
  const { waits, wait, readChanges } = waitsWith();
  const denied = new DomainError('UNAUTHORIZED', 'no');
  const allowed = vi.fn(async () => {});
  const revoked = vi.fn(async () => Promise.reject(denied));
  const other = vi.fn(async () => {});
  const held = [wait({ recheck: allowed }), wait({ accountId: 2, recheck: other })];
  const failed = expect(wait({ recheck: revoked })).rejects.toBe(denied);
  await until(async () => readChanges.mock.calls.length > 0);
  expect([allowed, revoked, other].map((recheck) => recheck.mock.calls.length)).toEqual([0, 0, 0]);
  readChanges.mockImplementation(async () => new Map([[1, 'revoked']]));
  await failed;
  const calls = readChanges.mock.calls.length;
  await until(async () => readChanges.mock.calls.length > calls + 1);
  expect(readChanges.mock.lastCall).toEqual([[1, 2]]);
  expect([allowed, revoked, other].map((recheck) => recheck.mock.calls.length)).toEqual([1, 1, 0]);
  waits.stop();
  expect(await Promise.all(held)).toEqual([false, false]);
});

test('a database that fails delays the check, and nothing is read while nothing waits', async () => {
  const { wait, readChanges, onError } = waitsWith();
  const away = new Error('the database is away');
  readChanges.mockRejectedValueOnce(away).mockImplementation(async () => new Map([[1, 'revoked']]));
  const denied = new DomainError('WEBSITE_NOT_FOUND', 'no');
  const recheck = vi.fn(async () => Promise.reject(denied)).mockRejectedValueOnce(away);
  await expect(wait({ recheck })).rejects.toBe(denied);
  expect([onError.mock.calls, recheck.mock.calls.length]).toEqual([[[away], [away]], 2]);
  vi.useFakeTimers();
  expect(vi.getTimerCount()).toBe(0);
  const calls = readChanges.mock.calls.length;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(readChanges.mock.calls.length).toBe(calls);
  vi.useRealTimers();
});
