/** The bounds of a health report: one at a time, and one page of each list. */
import { expect, test } from 'vitest';
import { createPageCollector, PAGE, withHealthLock } from '../../src/health/bounds.ts';

test('reports run one at a time in FIFO order, and waiting too long throws BUSY', async () => {
  const order: string[] = [];
  let end = (): void => {};
  const first = withHealthLock(1, async () => {
    await new Promise<void>((resolve) => (end = resolve));
    order.push('first');
  });
  const second = withHealthLock(1, async () => void order.push('second'));
  const impatient = withHealthLock(1, async () => void order.push('impatient'), 20);
  const third = withHealthLock(1, async () => Promise.reject(new Error('third broke')));
  const fourth = withHealthLock(1, async () => void order.push('fourth'));
  await expect(impatient).rejects.toMatchObject({ code: 'BUSY', retryAfter: 5 });
  end();
  await Promise.all([first, second, expect(third).rejects.toThrow('third broke'), fourth]);
  expect(order).toEqual(['first', 'second', 'fourth']);
  expect(await withHealthLock(1, async () => 'free again')).toBe('free again');
});

test('one account with many reports lets another wait for one of them only', async () => {
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const run = (accountId: number, name: string, until?: Promise<void>) =>
    withHealthLock(accountId, async () => {
      order.push(name);
      await until;
    });
  const all = [run(1, 'first of 1', first.promise), run(1, 'second of 1'), run(1, 'third of 1'), run(2, 'first of 2')];
  first.resolve();
  await Promise.all(all);
  expect(order.indexOf('first of 2')).toBe(1);
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
