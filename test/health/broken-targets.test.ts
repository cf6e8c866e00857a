/** GET /websites/{id}/health/targets: which redirects it lists, in which order, and with which suggestions. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMonthlyPartitions } from '../../src/hits/store/monthly-partitions.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { storeTargetState } from '../support/target-states.ts';

interface Listed {
  redirect_id: number;
  old_path: string;
  hits: number | null;
  suggestions: { target: string; score: number; reasons: string[] }[];
}

const PAGES = ['/garden/chairs', '/garden/chair-covers', '/garden/chairs/oak', '/garden/chairs/ash', '/about'];

let detour: TestDetour;
let owner: TestAccount;
let site: number;
const ids = new Map<string, number>();
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  site = await createSite(owner, ['broken.example.com'], { allowed_target_hosts: ['other.example.org'] });
  expect((await owner.keyCall('PUT', `/api/v1/websites/${site}/urls/living`, { urls: PAGES })).status).toBe(200);
  await add('/looping', '/garden/loop', 'loop');
  await add('/dead', '/garden/chair', 'dead');
  await add('/elsewhere', 'https://other.example.org/garden/chair', 'error');
  await add('/soft', '/garden/chair', 'soft_404');
  for (const state of ['ok', 'moved', 'blocked'] as const) await add(`/${state}`, '/about', state);
  await add('/staged', '/about', 'dead', { target_environments: 'staging' });
  await add('/changed', '/garden/chair', 'dead');
  await owner.call('PUT', `/api/redirects/${ids.get('/changed')}`, { new_path: '/about' });
});
afterAll(() => detour.stop());

async function add(
  old_path: string,
  new_path: string,
  state: Parameters<typeof storeTargetState>[3]['state'],
  more: object = {},
) {
  const id = await addRedirect(owner, site, { old_path, new_path, ...more });
  ids.set(old_path, id);
  await storeTargetState(detour.db, site, id, { state, reason: state === 'dead' ? 'http_410' : null });
}

const list = (query = '', by = owner) =>
  by.call<{ targets: Listed[]; pending: boolean; next_cursor: string | null }>(
    'GET',
    `/api/websites/${site}/health/targets${query}`,
  );
const paths = ({ body }: Awaited<ReturnType<typeof list>>) => body.targets.map(({ old_path: path }) => path);

test('lists what is broken in the environment, dead ones first, as the report counts', async () => {
  const all = await list();
  expect(paths(all)).toEqual(['/dead', '/elsewhere', '/looping', '/soft']);
  expect(all.body.targets[0]).toMatchObject({
    redirect_id: ids.get('/dead'),
    new_path: '/garden/chair',
    state: 'dead',
    reason: 'http_410',
    checked_at: '2026-11-02T03:04:05Z',
  });
  expect(paths(await list('?environment=staging'))).toEqual(['/staged']);
  for (const [environment, count] of Object.entries({ production: 4, staging: 1, development: 0 })) {
    const { body } = await owner.call('GET', `/api/websites/${site}/health?environment=${environment}`);
    expect(body.counts.broken_targets, environment).toBe(count);
  }
});

test('an own target has up to three other pages, one on another host has none', async () => {
  await expect.poll(async () => (await list()).body.pending, { timeout: 20_000 }).toBe(false);
  const [dead, elsewhere] = (await list()).body.targets;
  const targets = dead?.suggestions.map(({ target }) => target) ?? [];
  expect(targets).toContain('/garden/chairs');
  expect(targets).toHaveLength(3);
  expect(dead?.suggestions[0]?.reasons.length).toBeGreaterThan(0);
  expect(elsewhere?.suggestions).toEqual([]);
});

test('without a list of living URLs, other targets are suggested, but no broken one', async () => {
  const other = await createSite(owner, ['broken2.example.com']);
  const id = await addRedirect(owner, other, { old_path: '/a', new_path: '/guides/painting-fence' });
  await addRedirect(owner, other, { old_path: '/b', new_path: '/guides/painting-fences' });
  const second = await addRedirect(owner, other, { old_path: '/c', new_path: '/guide/painting-fence' });
  await settled(owner, other);
  await storeTargetState(detour.db, other, second, { state: 'loop' });
  await storeTargetState(detour.db, other, id, { state: 'dead' });
  const suggested = async () => {
    const { body } = await owner.call('GET', `/api/websites/${other}/health/targets`);
    return body.targets[0].suggestions.map(({ target }: { target: string }) => target);
  };
  await expect.poll(suggested, { timeout: 20_000 }).toEqual(['/guides/painting-fences']);
});

test('lists the redirects with one target', async () => {
  expect(paths(await list('?target=/garden/chair'))).toEqual(['/dead', '/soft']);
  expect(paths(await list('?target=/garden'))).toEqual([]);
});

test('pages follow one another, and a cursor is of its list', async () => {
  const seen: string[] = [];
  let cursor: string | null = '';
  let first = '';
  while (cursor !== null) {
    const page = await list(`?limit=1${cursor && `&cursor=${cursor}`}`);
    seen.push(...paths(page));
    cursor = page.body.next_cursor;
    first ||= cursor ?? '';
  }
  expect(seen).toEqual(['/dead', '/elsewhere', '/looping', '/soft']);
  for (const query of ['?cursor=nonsense', `?environment=staging&cursor=${first}`]) {
    expect(await list(query), query).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
  }
});

test('a key gets string ids; another account finds no website', async () => {
  const { body } = await owner.keyCall('GET', `/api/v1/websites/${site}/health/targets?limit=1`);
  expect(body.targets[0]).toMatchObject({ redirect_id: String(ids.get('/dead')), old_path: '/dead' });
  expect(await list('', await detour.account())).toMatchObject({ status: 404, body: { code: 'WEBSITE_NOT_FOUND' } });
});

test('the targets with the most hits come first, those of one target together; hits between two pages move no row', async () => {
  const other = await createSite(owner, ['hits.example.com']);
  const dayAt = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  for (const days of [-31, -1, 0]) await createMonthlyPartitions(detour.db, dayAt(days));
  const addHits = async (id: number, hits: number, day: string) => {
    await detour.db.execute(sql`
      insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
      values (${other}, ${id}, 'production', ${day}, ${hits}, 0, 0, '{}', '')`);
  };
  const addBroken = async (old_path: string, new_path: string, hits: number, day = dayAt(-1)) => {
    const id = await addRedirect(owner, other, { old_path, new_path });
    await storeTargetState(detour.db, other, id, { state: 'soft_404' });
    await addHits(id, hits, day);
    return id;
  };
  await addBroken('/few', '/gone/few', 3);
  await addBroken('/old', '/gone/old', 1_000, dayAt(-31));
  const most = await addBroken('/most-1', '/gone/most', 4);
  const some = await addBroken('/some', '/gone/some', 5);
  await addBroken('/most-2', '/gone/most', 4);
  const read = async (): Promise<[string, number | null][]> => {
    const seen: [string, number | null][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof list>> = await owner.call(
        'GET',
        `/api/websites/${other}/health/targets?limit=1${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...page.body.targets.map(({ old_path: path, hits }): [string, number | null] => [path, hits]));
      cursor = page.body.next_cursor;
      if (seen.length === 1 && cursor !== null)
        for (const id of [most, some]) await addHits(id, 10, dayAt(0)).catch(() => undefined);
    }
    return seen;
  };
  // The website has hits before today.
  await detour.db.execute(sql`
    insert into website_hits (website_id, environment, day, hits, bot_hits, micros, countries, visitors, unmatched, unmatched_bots)
    values (${other}, 'production', ${dayAt(-1)}, 16, 0, 0, '{}', '', 0, 0)`);
  const expected = [
    ['/most-1', 4],
    ['/most-2', 4],
    ['/some', 5],
    ['/few', 3],
    ['/old', 0],
  ];
  expect(await read()).toEqual(expected);
  // Without earlier days, those of today count.
  await detour.db.execute(sql`delete from website_hits where website_id = ${other}`);
  expect(await read()).toEqual([
    ['/most-1', 14],
    ['/most-2', 4],
    ['/some', 15],
    ['/few', 3],
    ['/old', 0],
  ]);
});
