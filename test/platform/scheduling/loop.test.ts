import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLoop, overdueLoops } from '../../../src/platform/scheduling/loop.ts';

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

const loopOf = (tick: () => Promise<unknown>, everyMs: number, onError: (error: unknown) => void = failOnError) =>
  createLoop({ name: 'test', tick, everyMs, onError });

test('it ticks at once, then everyMs after the end of the tick before', async () => {
  const held = heldTick();
  const loop = loopOf(held.tick, 1_000);
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
  const loop = loopOf(held.tick, 60_000);
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
  const loop = loopOf(tick, 1_000);
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
  const loop = loopOf(held.tick, 10);
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
  const loop = loopOf(tick, 10, (error) => errors.push(error));
  loop.start();
  await vi.advanceTimersByTimeAsync(25);
  await loop.stop();
  expect(tick).toHaveBeenCalledTimes(3);
  expect(errors).toHaveLength(3);
});

test('a tick that throws synchronously is reported too', async () => {
  const errors: unknown[] = [];
  const loop = loopOf(
    () => {
      throw new Error('at once');
    },
    10,
    (error) => errors.push(error),
  );
  loop.start();
  await vi.advanceTimersByTimeAsync(0);
  await loop.stop();
  expect(errors).toHaveLength(1);
});

test('a stopped loop is started again without overlapping the tick in flight', async () => {
  const held = heldTick();
  const loop = loopOf(held.tick, 60_000);
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

test('a tick that does not end is abandoned after 30 s and reported once, and the loop continues', async () => {
  const held = heldTick();
  const errors: unknown[] = [];
  const loop = loopOf(held.tick, 1_000, (error) => errors.push(error));
  loop.start();
  await vi.advanceTimersByTimeAsync(29_999);
  expect(overdueLoops()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(overdueLoops()).toEqual(['test']);
  expect(held.ends).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(held.ends).toHaveLength(3);
  expect(errors).toEqual([new Error('test: did not end within 30 s; it starts again')]);
  await held.end();
  expect(overdueLoops()).toEqual([]);
  // The end of an abandoned tick starts no other.
  held.ends[0]?.();
  await vi.advanceTimersByTimeAsync(999);
  expect(held.ends).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(held.ends).toHaveLength(4);
  await held.end();
  await loop.stop();
});

test('an error of the tick that a stop cuts off is not reported', async () => {
  const held = Promise.withResolvers<void>();
  const onError = vi.fn();
  const loop = loopOf(() => held.promise, 1_000, onError);
  loop.start();
  const stopped = loop.stop();
  held.reject(new Error('the process is stopping'));
  await stopped;
  expect(onError).not.toHaveBeenCalled();
});
