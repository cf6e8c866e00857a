/** An import that the database aborts during the merge (a full disk) releases what it holds. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDetour, type TestDetour } from '../support/detour.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
beforeAll(async () => void (detour = await startTestDetour()));
afterAll(() => detour.stop());

test('a merge that the database aborts is a 500 and leaves nothing behind', async () => {
  const owner = await detour.account();
  const { body } = await owner.call('POST', '/api/websites', { name: 'Shop' });
  const websiteId = String(body.website.id);
  const redirects = Array.from({ length: 40_000 }, (_, n) => ({
    old_path: `/n/${String(n).padStart(5, '0')}/${'long'.repeat(20)}`,
    new_path: '/to',
  }));
  await detour.db.execute(sql`alter table redirects add constraint disk_is_full check (old_path not like '/n/00100%')`);
  const answer = await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: websiteId, redirects });
  expect(answer.status).toBe(500);
  await until(async () => {
    const { rows } = await detour.db.execute(sql`select 1 from pg_class where relname like 'import_stage_%'`);
    return rows.length === 0;
  });
  await detour.db.execute(sql`alter table redirects drop constraint disk_is_full`);
  const again = await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: websiteId, redirects });
  expect([again.status, again.body.summary.created]).toEqual([200, 40_000]);
});
