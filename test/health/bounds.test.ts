/** What keeps the health of one website from being everybody's: one look at a time, and a page of each list. */
import { expect, test } from 'vitest';
import { createFirstEntries, PAGE } from '../../src/health/page-collector.ts';
import { withHealthLock } from '../../src/health/health-mutex.ts';

test('work runs one at a time in the order asked, and who waits too long is told BUSY', async () => {
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

test('a page has the first entries by id behind the last one shown, and one more that says there are others', () => {
  const entries = createFirstEntries<string>(500);
  const ids = Array.from({ length: 10_000 }, (_, i) => ((i * 7_919) % 10_000) + 1);
  for (const id of ids) entries.note(id, `entry ${id}`);
  expect(entries.count).toBe(10_000);
  const kept = entries.kept();
  expect(kept.map(({ id }) => id)).toEqual(Array.from({ length: PAGE + 1 }, (_, i) => 501 + i));
  expect(kept[0]).toEqual({ id: 501, value: 'entry 501' });
});
