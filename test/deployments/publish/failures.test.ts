/** A deployment that cannot be made: tried again, given up in the end, and never in the way of others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploymentsOf, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;

const sql = (text: string) => detour.db.$client.query(text);

/** The database refuses versions of this website until the answered function is called. */
async function refuseVersions(site: number): Promise<() => Promise<unknown>> {
  await sql(`create function refuse_version() returns trigger language plpgsql as
    $$ begin perform nextval('refused'); raise exception 'the disk at /secret/path is full'; end $$`);
  await sql(`create trigger refuse before insert on versions for each row when (new.website_id = ${site})
    execute function refuse_version()`);
  return async () => {
    await sql('drop trigger refuse on versions');
    await sql('drop function refuse_version');
  };
}

/** How often it refused; a sequence counts what is rolled back too. */
const refusals = async (): Promise<number> => Number((await sql('select last_value from refused')).rows[0].last_value);

beforeAll(async () => {
  detour = await startTestDetour();
  await sql('create sequence refused');
  owner = await detour.account();
});

afterAll(() => detour.stop());

test('one that fails for a while is tried again and completes', async () => {
  const host = 'retried.example';
  const site = await createSite(owner, [host]);
  await addRedirect(owner, site, { old_path: '/p', new_path: '/1' });
  await settled(owner, site);
  const accept = await refuseVersions(site);
  await addRedirect(owner, site, { old_path: '/q', new_path: '/2' });
  await until(async () => (await deploymentsOf(owner, site))[0]?.status === 'running');
  expect((await detour.visit(host, '/p')).location).toBe('/1');
  await accept();
  const [latest] = await settled(owner, site);
  expect(latest).toMatchObject({ status: 'completed', version: 2, error: null });
  expect((await detour.visit(host, '/q')).location).toBe('/2');
});

test('one that fails every time ends as failed, says so without internals, the version before serves on, and the next one is tried again', async () => {
  const [host, otherHost] = ['refused.example', 'fine.example'];
  const site = await createSite(owner, [host]);
  const other = await createSite(owner, [otherHost]);
  await addRedirect(owner, site, { old_path: '/p', new_path: '/1' });
  await settled(owner, site);
  const accept = await refuseVersions(site);
  await addRedirect(owner, site, { old_path: '/q', new_path: '/2' });
  await addRedirect(owner, other, { old_path: '/p', new_path: '/1' });
  expect((await settled(owner, other))[0]?.status).toBe('completed');
  const failed = await until(async () => {
    const [latest] = await deploymentsOf(owner, site);
    return latest?.status === 'failed' && latest;
  }, 20_000);
  expect(failed).toMatchObject({ version: null, deployed_at: null });
  expect(failed.error).toContain('INTERNAL_ERROR');
  expect(failed.error).not.toContain('secret');
  expect((await detour.visit(host, '/p')).location).toBe('/1');
  expect((await detour.visit(host, '/q')).status).toBe(404);
  const { rows } = await sql(`select event, body::jsonb->'data'->'deployment'->>'error' as error from events
    where website_id = ${site} and event like 'deployment.%' order by id`);
  const events = rows.map(({ event }) => event);
  expect(events.slice(2)).toEqual(['deployment.started', 'deployment.failed']);
  expect(rows.at(-1).error).toBe(failed.error);

  const refused = await refusals();
  await addRedirect(owner, site, { old_path: '/r', new_path: '/3' });
  await until(async () => (await refusals()) > refused);
  await accept();
  const [latest] = await settled(owner, site);
  expect(latest).toMatchObject({
    status: 'completed',
    version: 2,
    changes: { added: 2, changed: 0, removed: 0 },
  });
  expect((await detour.visit(host, '/q')).location).toBe('/2');
});
