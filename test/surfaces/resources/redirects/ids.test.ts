/** Ids of redirects are 64 bits wide: every import of a million takes a million of them. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import { newRedirect, newWebsite, readRedirect } from '../../session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

test('a redirect whose id is past 32 bits can be read, changed and deleted like any other', async () => {
  await detour.db.execute(sql`select setval(pg_get_serial_sequence('redirects', 'id'), 5000000000)`);
  await newWebsite(owner);
  const { id } = await newRedirect(owner, { old_path: '/a', new_path: '/b' });
  expect(id).toBe(5_000_000_001);
  expect(await readRedirect(owner, id)).toMatchObject({ id, old_path: '/a' });
  const changed = await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/c' });
  expect([changed.status, changed.body.redirect.new_path]).toEqual([200, '/c']);
  expect((await owner.call('DELETE', `/api/redirects/${id}`)).status).toBe(200);
});

test('an id that no redirect can have is 404', async () => {
  for (const id of ['0', '9007199254740993', '99999999999999999999', '1e3', '-1'])
    expect((await owner.call('GET', `/api/redirects/${id}`)).status, id).toBe(404);
});
