/** The cache of indexes for suggestions: what it keeps, what it builds again, and whom it lets wait. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createIndexCache } from '../../../src/urls/suggest/index-cache.ts';

const WAIT_MS = 10_000;

/** Candidates whose reading can be held back, and counts the reads. */
function source(key: string, accountId = 1) {
  let release = (): void => {};
  const counts = { reads: 0, running: 0 };
  const held = { until: Promise.resolve() };
  return {
    counts,
    hold(): void {
      held.until = new Promise((resolve) => (release = resolve));
    },
    release: () => release(),
    wanted: (token: string, pages = 1) => ({
      ...{ accountId, key, token },
      async *read() {
        counts.reads++;
        counts.running++;
        await held.until;
        for (let at = 0; at < pages; at++) yield { url: `/${token}/page-${at}` };
        counts.running--;
      },
    }),
  };
}

test('an index is built once for all callers, and again when its candidates change', async () => {
  const cache = createIndexCache();
  const { counts, wanted } = source('a');
  const [one, other] = await Promise.all([cache.get(wanted('1'), WAIT_MS), cache.get(wanted('1'), WAIT_MS)]);
  expect(one?.size).toBe(1);
  expect(other).toBe(one);
  expect(await cache.get(wanted('1'), WAIT_MS)).toBe(one);
  expect(counts.reads).toBe(1);
  await pause(200);
  expect(await cache.get(wanted('2', 2), WAIT_MS)).toMatchObject({ size: 2 });
});

test('a caller does not wait for longer than it wants: it gets nothing, or the earlier index', async () => {
  const cache = createIndexCache();
  const held = source('a');
  held.hold();
  expect(await cache.get(held.wanted('1'), 20)).toBeUndefined();
  held.release();
  expect(await cache.get(held.wanted('1'), WAIT_MS)).toMatchObject({ size: 1 });
  await pause(1_000);
  held.hold();
  expect(await cache.get(held.wanted('2', 2), 20)).toMatchObject({ size: 1 });
  held.release();
  await expect.poll(async () => (await cache.get(held.wanted('2', 2), WAIT_MS))?.size).toBe(2);
});

test('the least recently used indexes go when the cache is full', async () => {
  const size = (await createIndexCache().get(source('x').wanted('1', 100), WAIT_MS))?.bytes ?? 0;
  const cache = createIndexCache(2.5 * size);
  const [a, b, c] = [source('a'), source('b'), source('c')];
  for (const each of [a, b, a, c, a]) await cache.get(each.wanted('1', 100), WAIT_MS);
  expect([a, b, c].map(({ counts }) => counts.reads)).toEqual([1, 1, 1]);
  await cache.get(b.wanted('1', 100), WAIT_MS);
  expect([a, b, c].map(({ counts }) => counts.reads)).toEqual([1, 2, 1]);
});

test('an index that is larger than the cache is kept until the next one', async () => {
  const cache = createIndexCache(1);
  const [a, b] = [source('a'), source('b')];
  for (const each of [a, a, b, a]) await cache.get(each.wanted('1'), WAIT_MS);
  expect([a, b].map(({ counts }) => counts.reads)).toEqual([2, 1]);
});

test('an account builds one index at a time, and all accounts two', async () => {
  const cache = createIndexCache();
  const sources = [source('a'), source('b'), source('c', 2), source('d', 3)];
  for (const each of sources) each.hold();
  const got = sources.map((each) => cache.get(each.wanted('1'), WAIT_MS));
  await pause(50);
  expect(sources.map(({ counts }) => counts.running)).toEqual([1, 0, 1, 0]);
  for (const each of sources) each.release();
  expect((await Promise.all(got)).map((index) => index?.size)).toEqual([1, 1, 1, 1]);
});

test('a failed build is reported, and the next caller builds again', async () => {
  const cache = createIndexCache();
  const wanted = { accountId: 1, key: 'a', token: '1' };
  const failing = {
    ...wanted,
    async *read(): AsyncGenerator<{ url: string }> {
      await pause(1);
      throw new Error('the connection ended');
    },
  };
  await expect(cache.get(failing, WAIT_MS)).rejects.toThrow('the connection ended');
  expect(await cache.get(source('a').wanted('1'), WAIT_MS)).toMatchObject({ size: 1 });
});
