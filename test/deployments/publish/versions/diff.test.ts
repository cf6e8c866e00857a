/**
 * The diff of a deployment: three lists, exact counts and pages. Holds the rules of
 * src/deployments/publish/versions/version-choice.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import { addRedirect, createSite, deploy } from '../../../support/site.ts';
import { promote, rollBack } from '../../publishing.ts';
import { expectStatus } from '../../../support/expect-status.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a response of any shape
type DiffBody = any;

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

const diffOf = async (site: number, environment = 'production', cursor = '', more = '') => {
  const query = `website_id=${site}&environment=${environment}${cursor && `&cursor=${cursor}`}${more}`;
  const { status, text, body } = await owner.call('GET', `/api/deployments/diff?${query}`);
  expectStatus({ status, text }, 200);
  return body;
};

/** Without the authors, which have a test of their own. */
const rulesOf = (diff: DiffBody) => {
  const plain = ({ changed_by: _by, changed_at: _at, ...entry }: DiffBody) => entry;
  const { added, changed, removed } = diff;
  return { ...diff, added: added.map(plain), changed: changed.map(plain), removed: removed.map(plain) };
};

const NONE = {
  added: [],
  changed: [],
  removed: [],
  counts: { added: 0, changed: 0, removed: 0 },
  live_only: 0,
  not_targeted: 0,
  next_cursor: null,
};
const rule = (old_path: string, new_path: string | null, status_code = 301, is_regex = false) => ({
  old_path,
  new_path,
  status_code,
  is_regex,
  active_from: null,
  active_until: null,
});

describe('the diff', () => {
  test('names what would be added, changed with before and after, and removed, each once', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    expect(await diffOf(site)).toEqual(NONE);
    const [a, b, c, d] = [
      await addRedirect(owner, site, { old_path: '/a', new_path: '/1' }),
      await addRedirect(owner, site, { old_path: '/b', new_path: '/1' }),
      await addRedirect(owner, site, { old_path: '/c', new_path: '/1' }),
      await addRedirect(owner, site, { old_path: '/d', new_path: '/1' }),
    ];
    const first = await diffOf(site);
    expect(rulesOf(first).added[0]).toEqual({ id: a, ...rule('/a', '/1') });
    expect([first.added.length, first.counts]).toEqual([4, { added: 4, changed: 0, removed: 0 }]);
    await deploy(owner, site);
    expect(await diffOf(site)).toEqual(NONE);
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: null, status_code: 410 });
    await owner.call('PUT', `/api/redirects/${a}`, { notes: 'gone' });
    await owner.call('DELETE', `/api/redirects/${b}`);
    await owner.call('PUT', `/api/redirects/${c}`, { target_environments: 'staging' });
    // Edited and edited back: served as it was.
    for (const target of ['/2', '/1']) await owner.call('PUT', `/api/redirects/${d}`, { new_path: target });
    const e = await addRedirect(owner, site, { old_path: '^/e/(.*)', new_path: '/e?p=$1', is_regex: true });
    await addRedirect(owner, site, { old_path: '/draft', new_path: '/1', target_environments: '' });
    const expected = {
      added: [{ id: e, ...rule('^/e/(.*)', '/e?p=$1', 301, true) }],
      changed: [{ id: a, before: rule('/a', '/1'), after: rule('/a', null, 410) }],
      removed: [
        { id: b, ...rule('/b', '/1') },
        { id: c, ...rule('/c', '/1') },
      ],
      counts: { added: 1, changed: 1, removed: 2 },
      live_only: 0,
      not_targeted: 1,
      next_cursor: null,
    };
    expect(rulesOf(await diffOf(site))).toEqual(expected);
    expect(rulesOf(await diffOf(site, 'staging')).added).toEqual([{ id: c, ...rule('/c', '/1') }]);
    expect((await deploy(owner, site)).changes).toEqual(expected.counts);
    expect(await diffOf(site)).toEqual(NONE);
  });

  test('by key has ids as strings', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
    const { status, body } = await owner.keyCall(
      'GET',
      `/api/v1/deployments/diff?website_id=${site}&environment=production`,
    );
    expect([status, rulesOf(body).added]).toEqual([200, [{ id: String(id), ...rule('/a', '/1') }]]);
  });

  test('after a rollback, a promotion and left-out hosts is what the next deployment then does', async () => {
    const site = await createSite(owner, [], { auto_deploy: false, allowed_target_hosts: ['old.example'] });
    const a = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
    const away = await addRedirect(owner, site, { old_path: '/away', new_path: 'https://old.example/' });
    const s = await addRedirect(owner, site, {
      old_path: '/s',
      new_path: '/1',
      target_environments: 'staging',
    });
    await deploy(owner, site);
    await deploy(owner, site, 'staging');
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/2' });
    await deploy(owner, site);
    await owner.call('PUT', `/api/websites/${site}`, { allowed_target_hosts: [] });
    await rollBack(owner, site, 1);
    const back = await diffOf(site);
    expect(back).toMatchObject({
      added: [{ id: away, old_path: '/away' }],
      changed: [{ id: a, before: { new_path: '/1' }, after: { new_path: '/2' } }],
      removed: [],
    });
    expect((await deploy(owner, site)).changes).toEqual(back.counts);
    await promote(owner, site, 'staging', 'production');
    const own = await diffOf(site);
    expect(own).toMatchObject({
      added: [{ id: a, new_path: '/2' }, { id: away }],
      changed: [],
      removed: [{ id: s, old_path: '/s' }],
      counts: { added: 2, changed: 0, removed: 1 },
    });
    expect((await deploy(owner, site)).changes).toEqual(own.counts);
  });
});

describe('between any two versions', () => {
  const between = async (
    site: number,
    from: string | number,
    to: string | number,
    more = '',
    environment = 'production',
  ) => rulesOf(await diffOf(site, environment, '', `&from=${from}&to=${to}${more}`));

  /** Version 1 has a, b and away; 2 changes a, deletes b, adds c; 3 is 1 again, without away. The draft also has d. */
  async function versions(): Promise<{ site: number; ids: Record<'a' | 'b' | 'c' | 'd' | 'away', number> }> {
    const site = await createSite(owner, [], { auto_deploy: false, allowed_target_hosts: ['old.example'] });
    const a = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
    const b = await addRedirect(owner, site, { old_path: '/b', new_path: '/Blue' });
    const away = await addRedirect(owner, site, { old_path: '/away', new_path: 'https://old.example/' });
    await deploy(owner, site);
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/2' });
    await owner.call('DELETE', `/api/redirects/${b}`);
    const c = await addRedirect(owner, site, { old_path: '/c', new_path: '/1' });
    await deploy(owner, site);
    await owner.call('PUT', `/api/websites/${site}`, { allowed_target_hosts: [] });
    await rollBack(owner, site, 1);
    const d = await addRedirect(owner, site, { old_path: '/d', new_path: '/1' });
    return { site, ids: { a, b, c, d, away } };
  }

  test('it is exact in both directions, with live and draft by name', async () => {
    const { site, ids } = await versions();
    const oneToTwo = {
      added: [{ id: ids.c, ...rule('/c', '/1') }],
      changed: [{ id: ids.a, before: rule('/a', '/1'), after: rule('/a', '/2') }],
      removed: [{ id: ids.b, ...rule('/b', '/Blue') }],
      counts: { added: 1, changed: 1, removed: 1 },
      live_only: 0,
      not_targeted: 0,
      next_cursor: null,
    };
    expect(await between(site, 1, 2)).toEqual(oneToTwo);
    expect(await between(site, 2, 1)).toEqual({
      ...oneToTwo,
      added: oneToTwo.removed,
      changed: [{ id: ids.a, before: rule('/a', '/2'), after: rule('/a', '/1') }],
      removed: oneToTwo.added,
    });
    const away = { id: ids.away, ...rule('/away', 'https://old.example/') };
    expect(await between(site, 1, 3)).toEqual({
      ...NONE,
      removed: [away],
      counts: { added: 0, changed: 0, removed: 1 },
    });
    expect(await between(site, 1, 'live')).toEqual(await between(site, 1, 3));
    const added = [{ id: ids.d, ...rule('/d', '/1') }];
    expect(await between(site, 2, 'draft')).toEqual({ ...NONE, added, counts: { added: 1, changed: 0, removed: 0 } });
    expect(await between(site, 'live', 'draft')).toEqual(rulesOf(await diffOf(site)));
    // The rules of version 1, and those that a rollback to it would publish.
    expect(await between(site, 'none', 1)).toMatchObject({ added: [{ id: ids.a }, { id: ids.b }, away], changed: [] });
    expect((await between(site, 2, 1, '&as_published=true')).counts).toEqual({ added: 1, changed: 1, removed: 2 });
    expect((await between(site, 'none', 1, '&as_published=true')).counts).toMatchObject({ added: 2 });
    const reverse = await between(site, 'draft', 'live');
    expect(reverse.counts).toEqual({ added: 1, changed: 1, removed: 3 });
    for (const same of [1, 2, 3, 'live', 'draft']) expect(await between(site, same, same)).toEqual(NONE);
  });

  test('q limits entries and counts to rules with this text before or after, ignoring case', async () => {
    const { site, ids } = await versions();
    expect(await between(site, 1, 2, '&q=bLUE')).toMatchObject({
      removed: [{ id: ids.b }],
      counts: { added: 0, changed: 0, removed: 1 },
    });
    expect((await between(site, 1, 2, '&q=/2')).changed).toMatchObject([{ id: ids.a }]);
    expect(await between(site, 1, 2, '&q=%25')).toEqual(NONE);
  });

  test('kind limits the entries, and the counts stay those of all kinds', async () => {
    const { site } = await versions();
    const all = await between(site, 'live', 'draft');
    for (const kind of ['added', 'changed', 'removed'] as const) {
      const none = { added: [], changed: [], removed: [] };
      const only = await between(site, 'live', 'draft', `&kind=${kind}`);
      expect(only).toEqual({ ...all, ...none, [kind]: all[kind] });
    }
    expect(Object.values(all.counts).every((count) => Number(count) > 0)).toBe(true);
    expect(
      (await owner.call('GET', `/api/deployments/diff?website_id=${site}&environment=production&kind=x`)).status,
    ).toBe(400);
  });

  test('a promoted version is compared with one of the environment itself', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const both = { new_path: '/1', target_environments: 'production,staging' };
    await addRedirect(owner, site, { old_path: '/both', ...both });
    const s = await addRedirect(owner, site, { old_path: '/s', ...both, target_environments: 'staging' });
    await deploy(owner, site);
    await deploy(owner, site, 'staging');
    await promote(owner, site, 'staging', 'production');
    expect(await between(site, 1, 2)).toMatchObject({
      added: [{ id: s }],
      counts: { added: 1, changed: 0, removed: 0 },
    });
    // Both pointers are of the rules of staging.
    expect(await between(site, 2, 'live')).toEqual(NONE);
  });

  test('two environments are compared, and a promotion is previewed as it then is', async () => {
    const site = await createSite(owner, [], { auto_deploy: false, allowed_target_hosts: ['old.example'] });
    const staged = { new_path: '/1', target_environments: 'staging' };
    const s = await addRedirect(owner, site, { old_path: '/s', ...staged });
    await addRedirect(owner, site, { old_path: '/away', ...staged, new_path: 'https://old.example/' });
    const p = await addRedirect(owner, site, { old_path: '/p', new_path: '/1' });
    await deploy(owner, site);
    const empty = await between(site, 'live', 'live', '&to_environment=staging');
    expect(empty).toMatchObject({ added: [], removed: [{ id: p }] });
    await deploy(owner, site, 'staging');
    expect((await between(site, 'live', 'live', '&to_environment=staging')).counts.added).toBe(2);
    expect((await between(site, 1, 'draft', '&to_environment=staging')).counts.added).toBe(2);
    await owner.call('PUT', `/api/websites/${site}`, { allowed_target_hosts: [] });
    const preview = await between(site, 'live', 'live', '&to_environment=staging&as_published=true');
    expect(preview).toMatchObject({ added: [{ id: s }], changed: [], removed: [{ id: p }], not_targeted: 1 });
    expect((await promote(owner, site, 'staging', 'production')).changes).toEqual(preview.counts);
  });

  test('removed redirects that exist, but are not meant for the other environment, are counted and listed apart', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const both = { new_path: '/1', target_environments: 'production,staging' };
    const added = async (path: string, fields = {}) => addRedirect(owner, site, { old_path: path, ...both, ...fields });
    const deleted = await added('/deleted');
    const ids: number[] = [];
    for (const path of ['/p', '/q']) ids.push(await added(path, { target_environments: 'production' }));
    const late = await added('/late');
    await deploy(owner, site);
    await owner.call('DELETE', `/api/redirects/${deleted}`);
    await deploy(owner, site, 'staging');
    const promotion = '&to_environment=staging&as_published=true';
    const all = await between(site, 'live', 'live', promotion);
    expect(all).toMatchObject({ counts: { added: 0, changed: 0, removed: 3 }, not_targeted: 2 });
    const only = await between(site, 'live', 'live', `${promotion}&kind=not_targeted`);
    expect(only).toMatchObject({ added: [], changed: [], counts: all.counts, not_targeted: 2 });
    expect(only.removed.map(({ id }: DiffBody) => id)).toEqual(ids);
    // Without an entry to list, the counts are the same.
    const none = await between(site, 'live', 'live', `${promotion}&kind=not_targeted&q=deleted`);
    expect(none).toMatchObject({ removed: [], counts: { removed: 1 }, not_targeted: 0 });
    // A deployment takes back what is no longer meant for its environment.
    await owner.call('PUT', `/api/redirects/${late}`, { target_environments: 'staging' });
    expect(await diffOf(site)).toMatchObject({ counts: { removed: 2 }, not_targeted: 1, live_only: 0 });
  });

  test('each entry names who made its last change between the two, and when', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const user = { type: 'user', name: owner.email };
    const a = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
    const byKey = async (old_path: string) => {
      const body = { website_id: String(site), redirects: [{ old_path, new_path: '/2' }] };
      expectStatus(await owner.keyCall('POST', '/api/v1/redirects/bulk', body), 200);
    };
    await byKey('/b');
    const b = (await owner.call('GET', `/api/redirects?website_id=${site}&q=/b`)).body.redirects[0].id;
    await deploy(owner, site);
    await byKey('/a');
    await owner.call('PUT', `/api/redirects/${a}`, { notes: 'a note is not a change of the rule' });
    await byKey('/c');
    await owner.call('PUT', `/api/redirects/${b}`, { target_environments: 'staging' });
    const forward = await diffOf(site);
    expect(forward).toMatchObject({
      added: [{ old_path: '/c', changed_by: { type: 'key' } }],
      changed: [{ id: a, changed_by: { type: 'key' } }],
      removed: [{ id: b, changed_by: user }],
    });
    expect(Date.parse(forward.removed[0].changed_at)).toBeGreaterThan(Date.now() - 60_000);
    await deploy(owner, site);
    expect(await diffOf(site, 'production', '', '&from=2&to=1')).toMatchObject({
      added: [{ id: b, changed_by: user }],
      changed: [{ id: a, changed_by: { type: 'key' } }],
      removed: [{ old_path: '/c', changed_by: { type: 'key' } }],
    });
    expect(await diffOf(site, 'production', '', '&to=draft&to_environment=staging')).toMatchObject({
      added: [{ id: b, changed_by: user }],
    });
    await detour.db.$client.query('delete from changes where website_id = $1', [site]);
    expect((await diffOf(site, 'production', '', '&from=2&to=1')).added[0]).toMatchObject({
      changed_by: null,
      changed_at: null,
    });
  });

  test('a version that does not exist is 404, one that is no longer retained is refused as by a rollback', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const ask = async (query: string, environment = 'production') => {
      const path = `deployments/diff?website_id=${site}&environment=${environment}&${query}`;
      const [session, key] = [await owner.call('GET', `/api/${path}`), await owner.keyCall('GET', `/api/v1/${path}`)];
      expect([key.status, key.body.code]).toEqual([session.status, session.body.code]);
      return [session.status, session.body.code];
    };
    expect(await ask('from=1')).toEqual([404, 'VERSION_NOT_FOUND']);
    await deploy(owner, site);
    for (const wrong of ['from=2', 'to=0', 'to=999999999999999']) {
      expect([wrong, ...(await ask(wrong))]).toEqual([wrong, 404, 'VERSION_NOT_FOUND']);
    }
    expect(await ask('from=1', 'staging')).toEqual([404, 'VERSION_NOT_FOUND']);
    for (const wrong of ['from=-1', 'to=head', 'to=', 'from=1.5', 'q=%00']) {
      expect([wrong, ...(await ask(wrong))]).toEqual([wrong, 400, 'INVALID_PARAMETER']);
    }
    const { $client: database } = detour.db;
    await database.query('update website_environments set live_version = 200 where website_id = $1', [site]);
    await database.query("update versions set deployed_at = now() - interval '91 days' where website_id = $1", [site]);
    const rollback = await owner.call('POST', '/api/deployments/rollback', {
      website_id: site,
      environment: 'production',
      version: 1,
    });
    expect(await ask('from=1&to=1')).toEqual([rollback.status, 'VERSION_EXPIRED']);
  });
});

describe('pages', () => {
  /** 2,500 rules live, of which 1,001 would be removed and 1,499 changed; 2,001 would be added. */
  async function large(): Promise<number> {
    const site = await createSite(owner, [], { auto_deploy: false });
    const put = async (prefix: string, count: number, target: string) => {
      const redirects = Array.from({ length: count }, (_, i) => ({
        old_path: `/${prefix}${i}`,
        new_path: target,
        status_code: 302,
      }));
      const body = { website_id: String(site), redirects };
      expect((await owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
    };
    await put('gone', 1_001, '/1');
    await put('edit', 1_499, '/1');
    await deploy(owner, site);
    const removal = await owner.call('DELETE', '/api/redirects/bulk-delete', {
      filter: { website_id: site, q: '/gone' },
    });
    expectStatus(removal, 200);
    await put('edit', 1_499, '/2');
    await put('new', 2_001, '/1');
    return site;
  }

  test('show every entry once, whatever is edited meanwhile, with the same counts', async () => {
    const site = await large();
    const counts = { added: 2_001, changed: 1_499, removed: 1_001 };
    const seen = { added: new Set(), changed: new Set(), removed: new Set() };
    const lengths: number[][] = [];
    let cursor = '';
    do {
      const page = await diffOf(site, 'production', cursor);
      expect(page.counts).toEqual(counts);
      for (const entry of [...page.added, ...page.changed]) expect(entry.changed_by).toMatchObject({ type: 'key' });
      for (const entry of page.removed) expect(entry.changed_by).toMatchObject({ type: 'user', name: owner.email });
      for (const kind of ['added', 'changed', 'removed'] as const) {
        for (const entry of page[kind]) seen[kind].add(JSON.stringify(entry));
      }
      lengths.push([page.added.length, page.changed.length, page.removed.length]);
      cursor = page.next_cursor ?? '';
      await addRedirect(owner, site, { old_path: `/meanwhile${lengths.length}`, new_path: '/1' });
      const { redirects } = (await owner.call('GET', `/api/redirects?website_id=${site}&q=/edit1&limit=500`)).body;
      const touched = redirects[lengths.length];
      await owner.call('PUT', `/api/redirects/${touched.id}`, { new_path: '/3' });
    } while (cursor !== '');
    expect(lengths).toEqual([
      [1_000, 1_000, 1_000],
      [1_000, 499, 1],
      [1, 0, 0],
    ]);
    expect([seen.added.size, seen.changed.size, seen.removed.size]).toEqual([2_001, 1_499, 1_001]);
    const found = await diffOf(site, 'production', '', '&q=/new');
    expect(found.counts).toEqual({ added: 2_001, changed: 0, removed: 0 });
    const next = await diffOf(site, 'production', found.next_cursor, '&q=/new');
    const ids = new Set([...found.added, ...next.added].map(({ id }) => id));
    expect([next.counts.added, ids.size]).toEqual([2_001, 2_000]);
  });

  test('end with the next deployment, and a cursor is of one list', async () => {
    const site = await large();
    const other = await createSite(owner, [], { auto_deploy: false });
    const { next_cursor: cursor } = await diffOf(site);
    const ask = async (query: string) => {
      const { status, body } = await owner.call('GET', `/api/deployments/diff?${query}`);
      return [status, body.code];
    };
    const refused = [400, 'INVALID_PARAMETER'];
    expect(await ask(`website_id=${other}&environment=production&cursor=${cursor}`)).toEqual(refused);
    expect(await ask(`website_id=${site}&environment=staging&cursor=${cursor}`)).toEqual(refused);
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    for (const wrong of ['x', [], [parts[0]], parts.with(1, 1e9), parts.with(3, -1), parts.with(4, '0'), null]) {
      const text = Buffer.from(JSON.stringify(wrong)).toString('base64url');
      expect([wrong, ...(await ask(`website_id=${site}&environment=production&cursor=${text}`))]).toEqual([
        wrong,
        ...refused,
      ]);
    }
    await deploy(owner, site);
    expect(await ask(`website_id=${site}&environment=production&cursor=${cursor}`)).toEqual(refused);
  });
});

describe('errors', () => {
  test.each([
    ['environment=production', 400, 'MISSING_PARAMETER'],
    ['website_id=1', 400, 'MISSING_PARAMETER'],
    ['website_id=1&environment=live', 400, 'INVALID_PARAMETER'],
    ['website_id=1&environment=production&limit=3', 400, 'INVALID_PARAMETER'],
    ['website_id=999999&environment=production', 404, 'WEBSITE_NOT_FOUND'],
  ])('%s is %i %s on both surfaces', async (query, status, code) => {
    for (const answer of [
      await owner.call('GET', `/api/deployments/diff?${query}`),
      await owner.keyCall('GET', `/api/v1/deployments/diff?${query}`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
  });

  test("another account's website is not there", async () => {
    const stranger = await detour.account();
    const site = await createSite(owner, []);
    const query = `website_id=${site}&environment=production`;
    expect((await stranger.call('GET', `/api/deployments/diff?${query}`)).status).toBe(404);
    expect((await stranger.keyCall('GET', `/api/v1/deployments/diff?${query}`)).status).toBe(404);
  });
});
