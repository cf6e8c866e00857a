import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLive } from '../../../../src/deployments/live/database/live.ts';
import { createWebsite } from '../../../../src/websites/store.ts';
import { deleteWebsite } from '../../../../src/websites/delete.ts';
import { storeAccount } from '../../../support/account.ts';
import { freshDatabase, type FreshDatabase } from '../../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.close());

test('a deleted website has nothing live, so that no process loads its rules again', async () => {
  const { db } = database;
  const { actor } = await storeAccount(db, { email: 'live@example.com', plan: 'pro' });
  const { id } = await createWebsite(
    db,
    actor,
    { name: 'short-lived' },
    { isReserved: () => false, needsProof: false },
  );
  expect(await readLive(db, [id])).toHaveLength(3);
  await deleteWebsite(db, actor, id, false);
  expect(await readLive(db, [id])).toEqual([]);
});
