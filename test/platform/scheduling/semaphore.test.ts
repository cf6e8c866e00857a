import { expect, test } from 'vitest';
import { createKeyedSemaphore, createSemaphore } from '../../../src/platform/scheduling/semaphore.ts';

const timeout = (timeoutMs: number) => ({ timeoutMs, error: () => new Error('no permit') });

/** Work that ends when `finish` is called. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, finish: resolve };
}

test('at most the given number of units run at a time, in FIFO order', async () => {
  const withPermit = createSemaphore(2);
  const started: number[] = [];
  const held = [1, 2, 3, 4].map(() => heldWork());
  const runs = held.map(({ work }, i) =>
    withPermit(async () => {
      started.push(i);
      await work();
    }),
  );
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  held[1]?.finish();
  await runs[1];
  expect(started).toEqual([0, 1, 2]);
  for (const { finish } of held) finish();
  await Promise.all(runs);
  expect(started).toEqual([0, 1, 2, 3]);
});

test('keys do not wait for each other', async () => {
  const withPermit = createKeyedSemaphore<string>(1);
  const first = heldWork();
  const busy = withPermit('a', first.work);
  expect(await withPermit('b', async () => 'other key')).toBe('other key');
  first.finish();
  await busy;
});

test('work that does not get a permit in time is rejected and does not run', async () => {
  const withPermit = createSemaphore(1);
  const first = heldWork();
  const busy = withPermit(first.work);
  let ran = false;
  await expect(withPermit(async () => void (ran = true), timeout(1))).rejects.toThrow('no permit');
  first.finish();
  await busy;
  expect(ran).toBe(false);
  expect(await withPermit(async () => 'free again', timeout(1))).toBe('free again');
});

test('work that throws releases its permit', async () => {
  const withPermit = createSemaphore(1);
  const failing = withPermit(() => Promise.reject(new Error('broke')));
  const next = withPermit(async () => 'next');
  await expect(failing).rejects.toThrow('broke');
  expect(await next).toBe('next');
});
