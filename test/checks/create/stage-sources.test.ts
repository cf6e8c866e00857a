/** Expected answers of redirects, by the live rules. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

test('a source is the live rule of a redirect; a pattern, and what is not live or hidden, is skipped', async () => {
  const host = 'served.example';
  const site = await createSite(owner, [host], { auto_deploy: false, case_sensitive: false });
  const add = (fields: Record<string, unknown> & { old_path: string }) => addRedirect(owner, site, fields);
  await add({ old_path: '/a?x=1', new_path: '/b', status_code: 302 });
  await add({ old_path: '/gone', status_code: 410 });
  await add({ old_path: '/p/.*', new_path: '/q', is_regex: true });
  await add({ old_path: '/items/(.*)', new_path: '/i/$1', is_regex: true });
  await owner.call('PUT', `/api/websites/${site}/expectations`, {
    expectations: [
      { url: '/items/a?x=1', status_code: 301 },
      { url: `http://${host}/items/b`, status_code: 301 },
      { url: '/c', status_code: 301 },
    ],
  });
  const changed = await add({ old_path: '/c', new_path: '/d' });
  await deploy(owner, site);
  await owner.call('PUT', `/api/redirects/${changed}`, { new_path: '/undeployed' });
  await add({ old_path: '/new', new_path: '/n' });
  const path = `/api/v1/websites/${site}/checks`;
  const created = await owner.keyCall('POST', path, { kind: 'sources', base_url: `http://${host}:8080` });
  expect(created).toMatchObject({ status: 202, body: { check: { progress: { total: 6, done: 2 } } } });
  const { rows } = await detour.db.execute(sql`
    select t.url, t.expected_status as status, t.expected_location as location,
      case when t.state = 'skipped' then t.reason end as skipped, r.old_path
    from check_targets t join check_rules c on c.check_id = t.check_id and c.n = t.n join redirects r on r.id = c.redirect_id
    where t.check_id = ${created.body.check.id} order by r.old_path`);
  const origin = `http://${host}:8080`;
  expect(rows).toEqual([
    { url: `${origin}/a?x=1`, status: 302, location: '/b', skipped: null, old_path: '/a?x=1' },
    { url: `${origin}/c`, status: 301, location: '/d', skipped: null, old_path: '/c' },
    { url: `${origin}/gone`, status: 410, location: null, skipped: null, old_path: '/gone' },
    { url: `${origin}/items/a?x=1`, status: 301, location: '/i/a?x=1', skipped: null, old_path: '/items/(.*)' },
    { url: `${origin}/new`, status: null, location: null, skipped: 'not_live', old_path: '/new' },
    { url: `${origin}/`, status: null, location: null, skipped: 'pattern', old_path: '/p/.*' },
  ]);
});
