import { expect, test } from 'vitest';
import { inWriteTurn } from '../../src/websites/write-turns.ts';

test('an account works on eight writes at a time, the others in the order asked; another account does not wait', async () => {
  const order: number[] = [];
  const releases: (() => void)[] = [];
  const write = (number: number) =>
    inWriteTurn(1, 10_000, async () => {
      order.push(number);
      await new Promise<void>((resolve) => releases.push(resolve));
      return number;
    });
  const writes = Array.from({ length: 11 }, (_, number) => write(number));
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(await inWriteTurn(2, 10_000, async () => 'other')).toBe('other');
  for (let done = 0; done < 11; done++) {
    releases[done]?.();
    await writes[done];
    await Promise.resolve();
  }
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('who gets no turn in time has done nothing, and takes no turn later', async () => {
  const releases: (() => void)[] = [];
  const busy = Array.from({ length: 8 }, () =>
    inWriteTurn(3, 10_000, () => new Promise<void>((resolve) => releases.push(resolve))),
  );
  expect(await inWriteTurn(3, 1, async () => 'late')).toBe(false);
  for (const release of releases) release();
  await Promise.all(busy);
  expect(await inWriteTurn(3, 1, async () => 'now')).toBe('now');
});
