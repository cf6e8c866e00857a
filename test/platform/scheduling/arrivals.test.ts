import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createArrivals } from '../../../src/platform/scheduling/arrivals.ts';

test('an item that does not arrive in time is not lost', async () => {
  const source = new PassThrough({ objectMode: true });
  const arrivals = createArrivals(source);
  expect(await arrivals.next(1)).toBeUndefined();
  source.write('a');
  await arrivals.arrived();
  source.write('b');
  source.end();
  expect(await arrivals.next(1_000)).toEqual({ done: false, value: 'a' });
  expect(await arrivals.next(1_000)).toEqual({ done: false, value: 'b' });
  expect(await arrivals.next(1_000)).toMatchObject({ done: true });
});

test('an error that arrives while no call waits is thrown by the next one', async () => {
  const source = new PassThrough();
  const arrivals = createArrivals(source);
  expect(await arrivals.next(1)).toBeUndefined();
  source.destroy(new Error('broken off'));
  await expect(arrivals.next(1_000)).rejects.toThrow('broken off');
});

test('close ends the iteration', async () => {
  const onEnd = vi.fn();
  async function* items(): AsyncGenerator<string> {
    try {
      yield 'a';
    } finally {
      onEnd();
    }
  }
  const arrivals = createArrivals(items());
  await arrivals.next(1_000);
  arrivals.close();
  await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce());
});
