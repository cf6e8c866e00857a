/** Calls that wait too long for what another transaction holds are 503 BUSY, wherever they wait. */
import { drizzle } from 'drizzle-orm/node-postgres';
import { sql } from 'drizzle-orm';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../../src/db/connection/client.ts';
import { createDeployment } from '../../../src/deployments/publish/request.ts';
import { stopwatch } from '../../../src/platform/clock.ts';
import type { Actor } from '../../../src/vocabulary/actor.ts';
import { createWebsite, updateWebsite } from '../../../src/websites/store.ts';
import { storeAccount } from '../../support/account.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

let database: FreshDatabase;
let impatient: Db;
let actor: Actor;
beforeAll(async () => {
  database = await freshDatabase();
  const pool = new Pool({ connectionString: database.url, lock_timeout: 100 });
  impatient = Object.assign(drizzle({ client: pool, casing: 'snake_case' }), { $direct: pool });
  ({ actor } = await storeAccount(database.db, { email: 'busy@example.com', plan: 'pro' }));
});
afterAll(async () => {
  await impatient.$client.end();
  await database.close();
});

test('a deployment by call while a bulk call holds the environment', async () => {
  const { id } = await createWebsite(
    database.db,
    actor,
    { name: 'Shop' },
    { isReserved: () => false, needsProof: false },
  );
  const input = { websiteId: id, environment: 'production' } as const;
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`select 1 from website_environments where website_id = ${id} for update`);
    await expect(createDeployment(impatient, actor, input)).rejects.toMatchObject({ code: 'BUSY' });
  });
  expect(await createDeployment(impatient, actor, input)).toMatchObject({ status: 'queued' });
});

test('a write that has waited elsewhere waits for a website only until 10 s after the arrival of its request', async () => {
  const { id } = await createWebsite(
    database.db,
    actor,
    { name: 'Held' },
    { isReserved: () => false, needsProof: false },
  );
  const origin = { address: '', userAgent: null, at: new Date(), arrivedAt: stopwatch() - 9_700, audited: [] };
  const rename = () =>
    updateWebsite(
      database.db,
      { ...actor, origin },
      id,
      { name: 'New' },
      { rules: { isReserved: () => false, needsProof: false } },
    );
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`select 1 from websites where id = ${id} for update`);
    const began = stopwatch();
    await expect(rename()).rejects.toMatchObject({ code: 'BUSY' });
    expect(stopwatch() - began).toBeLessThan(5_000);
  });
  expect(await rename()).toMatchObject({ name: 'New' });
});

test('a website whose hostname another request is claiming', async () => {
  const { id } = await createWebsite(
    database.db,
    actor,
    { name: 'Taker' },
    { isReserved: () => false, needsProof: false },
  );
  const hosts = [{ hostname: 'wanted.example.com', environment: 'production' as const }];
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`insert into website_hosts (hostname, website_id, environment, position)
      values ('wanted.example.com', ${id}, 'production', 0)`);
    const taking = createWebsite(
      impatient,
      actor,
      { name: 'Late', hosts },
      { isReserved: () => false, needsProof: false },
    );
    await expect(taking).rejects.toMatchObject({ code: 'BUSY' });
  });
});
