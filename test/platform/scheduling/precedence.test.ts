import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { stopwatch } from '../../../src/platform/clock.ts';
import { createPrecedence } from '../../../src/platform/scheduling/precedence.ts';

test('background work waits until no other work runs, also work that fails', async () => {
  const precedence = createPrecedence();
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<never>();
  const running = [precedence.run(() => first.promise), precedence.run(() => second.promise)];
  let hasYielded = false;
  const yielded = precedence
    .backgroundSlice()
    .yield()
    .then(() => (hasYielded = true));
  first.resolve('done');
  expect(await running[0]).toBe('done');
  await pause(50);
  expect(hasYielded).toBe(false);
  second.reject(new Error('failed'));
  await expect(running[1]).rejects.toThrow('failed');
  await yielded;
  expect(hasYielded).toBe(true);
});

test('background work goes on beside work that does not end, with a pause for each slice', async () => {
  const precedence = createPrecedence(150);
  void precedence.run(() => new Promise(() => {}));
  const slice = precedence.backgroundSlice();
  const startedAt = stopwatch();
  await slice.yield();
  expect(stopwatch() - startedAt).toBeGreaterThanOrEqual(140);
  const againAt = stopwatch();
  await slice.yield();
  expect(stopwatch() - againAt).toBeGreaterThanOrEqual(25);
  expect(stopwatch() - againAt).toBeLessThan(140);
});
