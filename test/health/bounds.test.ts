/** The bounds of a health report: one at a time, and one page of each list. */
import { expect, test } from 'vitest';
import { createPageCollector, PAGE } from '../../src/health/page-collector.ts';
import { withHealthLock } from '../../src/health/health-mutex.ts';

test('reports run one at a time in FIFO order, and waiting too long throws BUSY', async () => {
  const order: string[] = [];
  let end = (): void => {};
  const first = withHealthLock(async () => {
    await new Promise<void>((resolve) => (end = resolve));
    order.push('first');
  });
  const second = withHealthLock(async () => void order.push('second'));
  const impatient = withHealthLock(async () => void order.push('impatient'), 20);
  const third = withHealthLock(async () => Promise.reject(new Error('third broke')));
  const fourth = withHealthLock(async () => void order.push('fourth'));
  await expect(impatient).rejects.toMatchObject({ code: 'BUSY', retryAfter: 5 });
  end();
  await Promise.all([first, second, expect(third).rejects.toThrow('third broke'), fourth]);
  expect(order).toEqual(['first', 'second', 'fourth']);
  expect(await withHealthLock(async () => 'free again')).toBe('free again');
});

test('a page retains the first entries by id after the cursor, and one more if there is a next page', () => {
  const entries = createPageCollector<string>(500);
  const ids = Array.from({ length: 10_000 }, (_, i) => ((i * 7_919) % 10_000) + 1);
  for (const id of ids) entries.add(id, `entry ${id}`);
  expect(entries.count).toBe(10_000);
  const retained = entries.entries();
  expect(retained.map(({ id }) => id)).toEqual(Array.from({ length: PAGE + 1 }, (_, i) => 501 + i));
  expect(retained[0]).toEqual({ id: 501, value: 'entry 501' });
});
