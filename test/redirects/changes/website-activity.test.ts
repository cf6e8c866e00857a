/** The merged list of a website, and of all: changes, deployments and settings, its filters, its pages and its readers. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyBody, sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { type Caller, colleague, newRedirect, newWebsite } from '../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let editor: Caller & { email: string };
let site: number;
let other: number;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  editor = await colleague(detour, owner, 'editor');
  site = await newWebsite(owner, { name: 'Shop' });
  other = await newWebsite(owner, { name: 'Other' });
  const redirect = await newRedirect(owner, { website_id: site, old_path: '/a', new_path: '/b' });
  await succeed(owner.call('PUT', `/api/websites/${site}`, { name: 'Store', fallback_url: 'https://old.example.com' }));
  await succeed(editor.call('POST', '/api/deployments', { website_id: site, environment: 'staging', note: 'try' }));
  await succeed(owner.call('PUT', `/api/redirects/${redirect.id}`, { new_path: '/c' }));
  const webhook = { name: 'hook', url: 'https://hooks.example.com/', events: ['redirect.created'] };
  await succeed(owner.keyCall('POST', '/api/webhooks', webhook));
  const channel = { type: 'slack', url: 'https://hooks.example.com/' };
  await succeed(owner.keyCall('POST', '/api/v1/notices', { name: 'team', channel, kinds: ['urls.lost'] }));
  await succeed(editor.call('DELETE', `/api/redirects/${redirect.id}`));
  await detour.db.execute(sql`
    insert into deployments (id, website_id, environment, kind, status, error, actor_type, actor_id, actor_name)
    values ('dep_failed', ${site}, 'production', 'automatic', 'failed', 'broken', 'system', '', 'system'),
      ('dep_fine', ${site}, 'production', 'automatic', 'completed', null, 'system', '', 'system')`);
});
afterAll(() => detour.stop());

async function succeed(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(text);
}

const listAll = async (query: string, caller: Caller = owner): Promise<AnyBody> =>
  (await caller.call('GET', `/api/activity?${query}`)).body;
const list = (query: string, caller: Caller = owner) => listAll(`website_id=${site}&${query}`, caller);

const labelOf = ({ change, deployment, settings }: AnyBody): string =>
  change?.kind ?? (deployment ? `${deployment.kind} ${deployment.environment}` : settings.action);
const labels = async (query: string, caller?: Caller): Promise<string[]> =>
  (await list(query, caller)).activity.map(labelOf);

const OF_ALL = [
  'automatic production',
  'delete',
  'update',
  'explicit staging',
  'website.updated',
  'create',
  'website.created',
];
const OF_OWNERS = OF_ALL.toSpliced(2, 0, 'notice.created', 'webhook.created');

test('one list, newest first, without successful automatic deployments and other websites; webhooks and notices only for owners', async () => {
  expect(await labels('')).toEqual(OF_OWNERS);
  expect(await labels('', editor)).toEqual(OF_ALL);
  const viewer = await colleague(detour, owner, 'viewer');
  expect(await labels('', viewer)).toEqual(OF_ALL);
  const { activity } = await list('');
  expect(activity.map(({ created_at: at }: AnyBody) => at)).toEqual(
    activity.map(({ created_at: at }: AnyBody) => at).toSorted((a: string, b: string) => b.localeCompare(a)),
  );
  const settings = activity.find(({ settings: entry }: AnyBody) => entry?.action === 'website.updated');
  expect(settings).toMatchObject({
    type: 'settings',
    actor: { type: 'user', name: owner.email },
    change: null,
    deployment: null,
    settings: { details: { before: { name: 'Shop' }, after: { name: 'Store' } } },
  });
  expect(JSON.stringify(activity)).not.toMatch(/user_agent|"address"/);
});

test('filters by kind, actor and path', async () => {
  expect(await labels('kind=deployment')).toEqual(['automatic production', 'explicit staging']);
  expect(await labels('kind=settings')).toEqual([
    'notice.created',
    'webhook.created',
    'website.updated',
    'website.created',
  ]);
  expect(await labels('kind=update')).toEqual(['update']);
  expect(await labels(`actor=${editor.email}`)).toEqual(['delete', 'explicit staging']);
  const part = encodeURIComponent(editor.email.slice(1, -1).toUpperCase());
  expect(await labels(`actor=*${part}*`)).toEqual(['delete', 'explicit staging']);
  expect(await labels(`actor=${part}`)).toEqual([]);
  expect(await labels('actor=*%25*')).toEqual([]);
  expect(await labels(`actor=${owner.email}&kind=settings`, editor)).toEqual(['website.updated', 'website.created']);
  expect(await labels('old_path=/a')).toEqual(['delete', 'update', 'create']);
  expect(await labels('old_path=/a&kind=deployment')).toEqual([]);
});

test('filters by time, the end excluded', async () => {
  const { activity } = await list('');
  const [newest, oldest] = [activity[0].created_at, activity.at(-1).created_at];
  const after = new Date(Date.parse(newest) + 1_000).toISOString();
  expect(await labels(`since=${oldest}&until=${after}`)).toEqual(OF_OWNERS);
  expect(await labels(`until=${oldest}`)).toEqual([]);
  expect(await labels(`since=${after}`)).toEqual([]);
  const hourBefore = new Date(Date.parse(oldest) - 3_600_000).toISOString();
  expect((await listAll(`until=${hourBefore}`)).activity).toEqual([]);
  expect((await listAll(`since=${hourBefore}&until=${after}`)).activity.length).toBeGreaterThan(activity.length);
  expect(await labels(`old_path=/a&since=${oldest}&limit=1`)).toEqual(['delete']);
  const wrong = await owner.call('GET', `/api/activity?since=${after}&until=${oldest}`);
  expect(wrong.body).toMatchObject({ code: 'INVALID_PARAMETER', details: expect.stringContaining('since') });
});

async function paged(query: string, limit: number, caller: Caller = owner): Promise<AnyBody[]> {
  const found: AnyBody[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: AnyBody = await listAll(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`, caller);
    expect(page.activity.length).toBeLessThanOrEqual(limit);
    found.push(...page.activity);
    cursor = page.next_cursor;
  }
  return found;
}

const skew = () =>
  detour.db.execute(sql`
    update changes set created_at = created_at + (case kind when 'update' then 1 else -1 end) * interval '1 hour'
    where website_id = ${site}`);

test('pages of any size have every entry once, also if the clocks of changes and settings differ', async () => {
  const of = `website_id=${site}`;
  const whole = (await list('')).activity;
  for (const limit of [1, 2, 3, OF_OWNERS.length]) expect(await paged(of, limit)).toEqual(whole);
  await skew();
  const skewed = (await list('')).activity;
  expect(skewed.map(labelOf)).not.toEqual(OF_OWNERS);
  expect(skewed.map(labelOf).toSorted()).toEqual(OF_OWNERS.toSorted());
  for (const limit of [1, 2, 3]) expect(await paged(of, limit)).toEqual(skewed);
});

describe('without a website', () => {
  const places = ({ activity }: AnyBody): [string, number | null][] =>
    activity.map((entry: AnyBody) => [labelOf(entry), entry.website_id]);

  test('entries of all websites have theirs, those of the account are listed once and for owners only', async () => {
    await newRedirect(owner, { website_id: other, old_path: '/a', new_path: '/b' });
    const found = places(await listAll(''));
    expect(found[0]).toEqual(['create', other]);
    for (const entry of [
      ['webhook.created', null],
      ['user.added', null],
      ['website.created', other],
    ] as const)
      expect(found.filter(([label, id]) => label === entry[0] && id === entry[1]).length).toBeGreaterThan(0);
    expect(found.filter(([label]) => label === 'webhook.created')).toHaveLength(1);
    expect(found.filter(([, id]) => id === site).map(([label]) => label)).toEqual(await labels('', editor));
    expect(places(await listAll('', editor)).filter(([, id]) => id === null)).toEqual([]);
    expect(places(await listAll('old_path=/a&kind=create')).map(([, id]) => id)).toEqual([other, site]);
    expect(places(await listAll(`actor=${editor.email}`)).map(([, id]) => id)).toEqual([site, site]);
  });

  test('pages of any size have every entry once, also if times go back along the revisions', async () => {
    for (let at = 0; at < 4; at++) {
      for (const website of [site, other])
        await newRedirect(owner, { website_id: website, old_path: `/${at}`, new_path: '/b' });
    }
    await detour.db.execute(sql`
      update changes set created_at = timestamptz '2001-01-01' + make_interval(secs => (revision * 7) % 3)
        + (now() - timestamptz '2001-01-02') where website_id in (${site}, ${other}) and kind = 'create'`);
    const whole = (await listAll('limit=1000')).activity;
    expect(
      new Set(whole.map(({ change, deployment, settings }: AnyBody) => (change ?? deployment ?? settings).id)).size,
    ).toBe(whole.length);
    expect(whole.filter(({ change }: AnyBody) => change?.kind === 'create')).toHaveLength(10);
    for (const limit of [1, 2, 3, 7]) expect(await paged('', limit)).toEqual(whole);
  });

  test('a limited person gets only the entries of their websites', async () => {
    const limited = await colleague(detour, owner, 'editor');
    const { users } = (await owner.call('GET', '/api/users')).body;
    const { id } = users.find(({ email }: AnyBody) => email === limited.email);
    const headers = { 'sec-fetch-site': 'same-origin' };
    const body = { website_roles: { [other]: 'viewer' } };
    await succeed(owner.call('PUT', `/api/v1/users/${id}/websites`, body, headers));
    const found = places(await listAll('', limited));
    expect(new Set(found.map(([, website]) => website))).toEqual(new Set([other]));
    expect(found.map(([label]) => label)).toContain('website.created');
    expect(await paged('', 2, limited)).toEqual((await listAll('', limited)).activity);
  });
});

test('entries older than 30 days are not listed', async () => {
  const before = await labels('kind=deployment');
  await detour.db.execute(sql`
    insert into deployments (id, website_id, environment, kind, status, actor_type, actor_id, actor_name, created_at)
    values ('dep_old', ${site}, 'staging', 'rollback', 'completed', 'system', '', 'system', now() - interval '31 days')`);
  expect(await labels('kind=deployment')).toEqual(before);
});

test('another account gets 404, and what is wrong is 400', async () => {
  const stranger = await detour.account();
  expect((await stranger.call('GET', `/api/activity?website_id=${site}`)).status).toBe(404);
  const { next_cursor: cursor } = await list('limit=1&kind=settings');
  for (const query of ['kind=eaten', 'limit=0', 'cursor=x', `cursor=${cursor}`, 'colour=red', 'actor=%00']) {
    const { status } = await owner.call('GET', `/api/activity?website_id=${site}&${query}`);
    expect([query, status]).toEqual([query, 400]);
  }
});

test('as CSV, the file has all entries that the filter finds, with what a viewer may see', async () => {
  const csv = async (query: string, caller: Caller = owner) => {
    const { status, text, body } = await caller.call('GET', `/api/activity?website_id=${site}&format=csv${query}`);
    return { status, lines: text.trimEnd().split('\n'), body };
  };
  const { lines } = await csv('');
  expect(lines[0]).toBe(
    'created_at,website_id,type,action,actor_type,actor,environment,target,created,updated,deleted,details,id',
  );
  expect(lines.slice(1).map((line) => line.split(',')[3])).toEqual(
    (await labels('')).map((label) => label.split(' ')[0]),
  );
  const [updated] = (await csv('&kind=update')).lines.slice(1);
  expect(updated).toContain(`,update,user,${owner.email},,/a,0,1,0,"{""from"":""/b"",""to"":""/c""`);
  expect(lines.find((line) => line.includes('dep_failed'))).toContain(
    ',automatic,system,system,production,,,,,"{""status"":""failed"",""error"":""broken""}",dep_failed',
  );
  expect((await csv('', editor)).lines.join()).not.toContain('webhook.created');
  expect(await csv('&limit=5')).toMatchObject({
    status: 400,
    body: { error: 'limit: applies to JSON; a CSV file has the whole list' },
  });
});
