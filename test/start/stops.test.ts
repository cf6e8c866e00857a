import { expect, test } from 'vitest';
import { createStops } from '../../src/start/stops.ts';

test('what started last stops first, and an error does not keep the others from stopping', async () => {
  const [stopped, errors]: [string[], unknown[]] = [[], []];
  const stops = createStops((error) => errors.push(error));
  const broken = new Error('broken');
  stops.add(async () => stopped.push('first'));
  stops.add(() => {
    throw broken;
  });
  stops.add(async () => stopped.push('last'));
  await stops.stopAll();
  expect([stopped, errors]).toEqual([['last', 'first'], [broken]]);
});

test('a stop that does not end in its time does not delay the others', async () => {
  const stops = createStops(() => {});
  const elapsed: number[] = [];
  stops.add(async (elapsedMs) => elapsed.push(elapsedMs));
  stops.add(() => new Promise(() => {}), 50);
  await stops.stopAll();
  // Timers may fire a few milliseconds early.
  expect(elapsed[0]).toBeGreaterThan(40);
  expect(elapsed[0]).toBeLessThan(5_000);
});
