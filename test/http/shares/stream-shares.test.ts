import { expect, test } from 'vitest';
import { createStreamShares } from '../../../src/http/shares/stream-shares.ts';
import type { Actor } from '../../../src/vocabulary/actor.ts';

const account = (accountId: number) => ({ accountId }) as Actor;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an account has three streams at a time over both pools, and another account does not wait for it', async () => {
  const shares = createStreamShares({ lists: 4, jobs: 4 });
  const end = Promise.withResolvers<void>();
  const open: string[] = [];
  const hold = (share: typeof shares.lists, accountId: number, name: string) =>
    share(account(accountId))(async () => {
      open.push(name);
      await end.promise;
    });
  const all = [
    hold(shares.lists, 1, 'list'),
    hold(shares.jobs, 1, 'export'),
    hold(shares.lists, 1, 'second list'),
    hold(shares.jobs, 1, 'one too many'),
    hold(shares.lists, 2, 'of another'),
  ];
  await turn();
  expect(open.toSorted()).toEqual(['export', 'list', 'of another', 'second list']);
  end.resolve();
  await Promise.all(all);
  expect(open).toContain('one too many');
});

test('one account never has all connections of a small pool', async () => {
  const shares = createStreamShares({ lists: 2, jobs: 3 });
  const end = Promise.withResolvers<void>();
  let open = 0;
  const all = [1, 1, 1, 2].map((id) =>
    shares.lists(account(id))(async () => {
      open++;
      await end.promise;
    }),
  );
  await turn();
  expect(open).toBe(2);
  end.resolve();
  await Promise.all(all);
});

test('the wait for the account and for a connection has one deadline, then BUSY with Retry-After', async () => {
  const shares = createStreamShares({ lists: 2, jobs: 2 }, 60);
  const end = Promise.withResolvers<void>();
  const held = [1, 2].map((id) => shares.lists(account(id))(() => end.promise));
  const startedAt = performance.now();
  const waits = [1, 3].map((id) => shares.lists(account(id))(async () => 'open'));
  const busy = waits.map((wait) => expect(wait).rejects.toMatchObject({ code: 'BUSY', retryAfter: 5 }));
  await Promise.all(busy);
  expect(performance.now() - startedAt).toBeGreaterThan(50);
  end.resolve();
  await Promise.all(held);
  expect(await shares.lists(account(1))(async (leftMs) => leftMs <= 60)).toBe(true);
});

test('above 100 waiting requests of an account, further ones get BUSY at once', async () => {
  const shares = createStreamShares({ lists: 2, jobs: 2 });
  const end = Promise.withResolvers<void>();
  const share = shares.lists(account(1));
  const held = share(() => end.promise);
  const waiting = Array.from({ length: 100 }, () => share(async () => {}));
  await expect(share(async () => {})).rejects.toMatchObject({ code: 'BUSY' });
  end.resolve();
  await Promise.all([held, ...waiting]);
});
