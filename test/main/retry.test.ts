import { expect, test, vi } from 'vitest';
import { NotMigratedError, untilAvailable } from '../../src/main/retry.ts';

const UNAVAILABLE = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

/** Fails with each of the errors, then succeeds. */
function attempts(errors: Error[], { mayWait = true, isStopping = false } = {}) {
  const warn = vi.fn();
  const work = vi.fn(async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'done';
  });
  const options = { log: { warn } as never, mayWait: () => mayWait, isStopping: () => isStopping };
  return { warn, work, result: untilAvailable(work, options) };
}

test('work is repeated while the database is away, with one line for the outage and one for its end', async () => {
  const { result, work, warn } = attempts([UNAVAILABLE, UNAVAILABLE]);
  expect(await result).toBe('done');
  expect([work.mock.calls.length, warn.mock.calls.length]).toEqual([3, 2]);
});

test('a process that may not wait still waits for a migration, and for nothing else', async () => {
  expect(await attempts([new NotMigratedError()], { mayWait: false }).result).toBe('done');
  await expect(attempts([UNAVAILABLE], { mayWait: false }).result).rejects.toBe(UNAVAILABLE);
});

test('any other error is thrown, and each error while the process stops', async () => {
  const bug = new Error('a bug');
  await expect(attempts([bug]).result).rejects.toBe(bug);
  await expect(attempts([UNAVAILABLE], { isStopping: true }).result).rejects.toBe(UNAVAILABLE);
});
