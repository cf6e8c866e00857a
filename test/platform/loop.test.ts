import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLoop } from '../../src/platform/loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A tick that ends when the test says so. */
function heldTick() {
  const ends: (() => void)[] = [];
  const tick = () => new Promise<void>((resolve) => ends.push(resolve));
  return { tick, ends, end: async () => (ends.at(-1)?.(), await vi.advanceTimersByTimeAsync(0)) };
}

const failOnError = (error: unknown) => {
  throw error;
};

test('it ticks at once, then everyMs after the end of the tick before', async () => {
  const held = heldTick();
  const loop = createLoop(held.tick, 1_000, failOnError);
  loop.start();
  expect(held.ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(held.ends).toHaveLength(1);
  await held.end();
  await vi.advanceTimersByTimeAsync(999);
  expect(held.ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(held.ends).toHaveLength(2);
  await held.end();
  await loop.stop();
});

test('a poke during a tick makes one more right after it, however often it was poked', async () => {
  const held = heldTick();
  const loop = createLoop(held.tick, 60_000, failOnError);
  loop.start();
  loop.wake();
  loop.wake();
  expect(held.ends).toHaveLength(1);
  await held.end();
  expect(held.ends).toHaveLength(2);
  await held.end();
  expect(held.ends).toHaveLength(2);
  await loop.stop();
});

test('a wake between ticks runs at once and restarts the wait', async () => {
  const tick = vi.fn(async () => {});
  const loop = createLoop(tick, 1_000, failOnError);
  loop.start();
  await vi.advanceTimersByTimeAsync(900);
  loop.wake();
  await vi.advanceTimersByTimeAsync(999);
  expect(tick).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(tick).toHaveBeenCalledTimes(3);
  await loop.stop();
});

test('stop waits for the tick in flight and starts no other, also when it was poked', async () => {
  const held = heldTick();
  const loop = createLoop(held.tick, 10, failOnError);
  loop.start();
  loop.wake();
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  await vi.advanceTimersByTimeAsync(100);
  expect(stopped).toBe(false);
  await held.end();
  await stopping;
  await vi.advanceTimersByTimeAsync(100);
  expect(held.ends).toHaveLength(1);
});

test('an error of a tick is reported, and the loop continues', async () => {
  const errors: unknown[] = [];
  const tick = vi.fn(() => Promise.reject(new Error('no')));
  const loop = createLoop(tick, 10, (error) => errors.push(error));
  loop.start();
  await vi.advanceTimersByTimeAsync(25);
  await loop.stop();
  expect(tick).toHaveBeenCalledTimes(3);
  expect(errors).toHaveLength(3);
});

test('a tick that throws synchronously is reported too', async () => {
  const errors: unknown[] = [];
  const loop = createLoop(
    () => {
      throw new Error('at once');
    },
    10,
    (error) => errors.push(error),
  );
  loop.start();
  await loop.stop();
  expect(errors).toHaveLength(1);
});

test('a stopped loop is started again without overlapping the tick in flight', async () => {
  const held = heldTick();
  const loop = createLoop(held.tick, 60_000, failOnError);
  loop.start();
  const stopping = loop.stop();
  loop.start();
  expect(held.ends).toHaveLength(1);
  await held.end();
  await stopping;
  expect(held.ends).toHaveLength(2);
  await held.end();
  await loop.stop();
});
