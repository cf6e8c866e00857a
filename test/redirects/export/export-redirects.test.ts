/**
 * Holds the rules of src/redirects/export/choose-export.ts, deployed-to-prod.ts, entries.ts, rows.ts, version-rows.ts
 * and version-times.ts.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import { sharedTestDetour, send, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { promote } from '../../deployments/publishing.ts';
import { addRedirect, createSite, deploy, settled } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const exportOf = (websiteId: number | string, more = '', by = owner) =>
  by.keyCall('GET', `/api/v1/redirects/bulk/export?website_id=${websiteId}${more}`);

/** The export as it came: ndjson is no JSON. */
async function exportText(websiteId: number, more: string): Promise<{ text: string; headers: Headers }> {
  const response = await fetch(`${detour.address}/api/v1/redirects/bulk/export?website_id=${websiteId}${more}`, {
    headers: { authorization: `Bearer ${owner.key}` },
  });
  expect(response.status).toBe(200);
  return { text: await response.text(), headers: response.headers };
}

interface Stored {
  event: string;
  data: { export: Record<string, unknown> };
}

async function exportEvents(websiteId: number): Promise<Stored[]> {
  const { rows } = await detour.db.execute<{ body: string }>(
    sql`select body from events where website_id = ${websiteId} and event = 'bulk_export.completed' order by id`,
  );
  return rows.map((row) => JSON.parse(row.body));
}

/** Rules that a format could trip over. */
const AWKWARD: Record<string, unknown>[] = [
  { old_path: '/plain', new_path: '/new' },
  { old_path: '/a,b"c', new_path: '/d,"e"', group_id: '=1+1', notes: '-2+3,"x"\r\ny\tz' },
  { old_path: '/back\\slash', new_path: '/to\\nowhere\\n', notes: '\\N' },
  { old_path: '/ümläut/漢字 and space', new_path: '/zürich?x=1&y=2#top', group_id: '  spaced  ' },
  { old_path: '/need?b=2&a=1', new_path: '/found', status_code: 302 },
  { old_path: '^/blog/(\\d+)/(.*)$', new_path: '/posts/$1?rest=$2', is_regex: true, status_code: 308 },
  { old_path: '/gone', status_code: 410, notes: '@cmd' },
  { old_path: '/legal', status_code: 451, target_environments: 'staging' },
  { old_path: '/draft', new_path: '/later', target_environments: '' },
  { old_path: '/all', new_path: '/x', target_environments: 'production,staging,development', notes: '+1' },
  { old_path: '/line\u2028separator', new_path: '/\u00a0nbsp', group_id: "'quoted'" },
  { old_path: '/;semi|pipe', new_path: '/{brace}$dollar', notes: '#1\nline\rline\r\nline' },
];

let counter = 0;
const nextHost = (): string => `export${++counter}.example.com`;

let awkward: Promise<number> | undefined;

/** A website with the rules of AWKWARD, deployed. Tests only read it. */
const awkwardSite = (): Promise<number> => (awkward ??= createAwkwardSite());

async function createAwkwardSite(): Promise<number> {
  const id = await createSite(owner, [nextHost()], { auto_deploy: false });
  for (const rule of AWKWARD) await addRedirect(owner, id, rule as { old_path: string });
  for (const environment of ['production', 'staging', 'development']) await deploy(owner, id, environment);
  return id;
}

describe('200', () => {
  test('the json export has the fields of the interface in their order, the redirects in the byte order of their keys', async () => {
    const id = await awkwardSite();
    const { status, headers, body } = await exportOf(id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(body)).toEqual(['export_id', 'website', 'filters', 'redirects', 'total_count', 'exported_at']);
    expect(body.export_id).toMatch(/^exp_[0-9A-Za-z]{22}$/);
    expect(body.website).toEqual({ id: String(id), name: expect.any(String) });
    expect(body.filters).toEqual({});
    expect(body.total_count).toBe(AWKWARD.length);
    expect(body.exported_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Object.keys(body.redirects[0])).toEqual([
      'id',
      'old_path',
      'new_path',
      'status_code',
      'group_id',
      'created_at',
      'deployed_to_prod',
      'is_regex',
      'target_environments',
      'notes',
      'active_from',
      'active_until',
    ]);
    const { rows } = await detour.db.execute<{ old_path: string }>(
      sql`select old_path from redirects where website_id = ${id} order by key`,
    );
    expect(body.redirects.map((each: { old_path: string }) => each.old_path)).toEqual(rows.map((row) => row.old_path));
  });

  test('each entry says what the list of redirects says', async () => {
    const id = await awkwardSite();
    const listed = (await owner.call('GET', `/api/redirects?website_id=${id}`)).body.redirects;
    const exported = (await exportOf(id)).body.redirects;
    const byId = new Map(exported.map((each: { id: string }) => [each.id, each]));
    expect(byId.size).toBe(listed.length);
    for (const each of listed) {
      expect(byId.get(String(each.id))).toEqual({
        id: String(each.id),
        old_path: each.old_path,
        new_path: each.new_path,
        status_code: each.status_code,
        group_id: each.group_id,
        created_at: each.created_at,
        deployed_to_prod: each.deployed_to_prod,
        is_regex: each.is_regex,
        target_environments: each.target_environments === '' ? [] : each.target_environments.split(','),
        notes: each.notes,
        active_from: each.active_from,
        active_until: each.active_until,
      });
    }
    expect(listed.filter((each: { deployed_to_prod: unknown }) => each.deployed_to_prod !== null).length).toBe(
      AWKWARD.length - 2,
    );
  });

  test('a large export says the same, for rules of several imports, live, edited since and never deployed', async () => {
    const id = await createSite(owner, [nextHost()], { allowed_target_hosts: ['shop.example'] });
    const post = async (from: number, more: Record<string, unknown>) => {
      const redirects = Array.from({ length: 2_000 }, (_, at) => ({
        old_path: `/p${(at * 7919) % 2_000}/${from}`,
        new_path: at % 500 === 3 ? 'https://shop.example/x' : `/nächste-${at}${at % 700 === 5 ? '"quoted"' : ''}`,
        ...(at % 3 === 0 && { notes: `note ${at % 7}` }),
        ...more,
      }));
      const { status } = await owner.keyCall('POST', '/api/v1/redirects/bulk', {
        website_id: String(id),
        redirects,
      });
      expect(status).toBe(200);
      await settled(owner, id);
    };
    await post(1, {});
    await post(2, { status_code: 302, group_id: 'größe' });
    await owner.call('PUT', `/api/websites/${id}`, { auto_deploy: false });
    await post(3, {});
    const filter = { website_id: id, q: '7/1' };
    await owner.call('POST', '/api/redirects/bulk-update', { filter, updates: { status_code: 307 } });

    const listed = (await owner.call('GET', `/api/redirects?website_id=${id}`)).body.redirects;
    const exported = (await exportOf(id)).body;
    expect(exported.total_count).toBe(6_000);
    const lines = (await exportText(id, '&format=ndjson')).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(exported.redirects);
    const byId = new Map(listed.map((each: { id: number }) => [String(each.id), each]));
    let live = 0;
    for (const each of exported.redirects) {
      const { old_path, new_path, status_code, group_id, notes, deployed_to_prod } = byId.get(each.id) as typeof each;
      expect(each).toMatchObject({ old_path, new_path, status_code, group_id, notes, deployed_to_prod });
      if (deployed_to_prod !== null) live++;
    }
    expect(live).toBe(4_000);
  });

  test('deployed_to_prod is that of the live rule also where rules were edited, added and taken away since', async () => {
    const id = await createSite(owner, [nextHost()]);
    const first = await addRedirect(owner, id, { old_path: '/a', new_path: '/1' });
    await addRedirect(owner, id, { old_path: '/b', new_path: '/1' });
    await settled(owner, id);
    await owner.call('PUT', `/api/websites/${id}`, { auto_deploy: false });
    await owner.call('PUT', `/api/redirects/${first}`, { new_path: '/2' });
    await addRedirect(owner, id, { old_path: '/c', new_path: '/1' });
    const listed = (await owner.call('GET', `/api/redirects?website_id=${id}&sort=old_path&limit=10`)).body.redirects;
    const exported = (await exportOf(id)).body.redirects;
    const times = (all: { deployed_to_prod: string | null }[]) => all.map((each) => each.deployed_to_prod);
    expect(times(exported)).toEqual(times(listed));
    expect(times(exported)).toEqual([expect.any(String), expect.any(String), null]);
  });

  test('an export without redirects is the same object with an empty list', async () => {
    const id = await createSite(owner, [nextHost()]);
    const { body } = await exportOf(id);
    expect(body).toMatchObject({ redirects: [], total_count: 0, filters: {} });
    expect((await exportText(id, '&format=ndjson')).text).toBe('');
    expect((await exportText(id, '&format=csv')).text.split('\n')).toEqual([expect.any(String), '']);
  });

  test('group_id gives the redirects of that group, whatever its text, and filters says so', async () => {
    const id = await createSite(owner, [nextHost()]);
    const group = `it's \\ "100%" $1; drop table`;
    await addRedirect(owner, id, { old_path: '/a', new_path: '/1', group_id: group });
    await addRedirect(owner, id, { old_path: '/b', new_path: '/1', group_id: 'other' });
    await addRedirect(owner, id, { old_path: '/c', new_path: '/1' });
    const paths = async (text: string) => {
      const { body } = await exportOf(id, `&group_id=${encodeURIComponent(text)}`);
      expect(body.filters).toEqual({ group_id: text });
      expect(body.total_count).toBe(body.redirects.length);
      return body.redirects.map((each: { old_path: string }) => each.old_path);
    };
    expect(await paths(group)).toEqual(['/a']);
    expect(await paths('none such')).toEqual([]);
    expect(await paths('')).toEqual(['/c']);
  });

  test('takes the filters of the list, as the list does; text is text', async () => {
    const id = await createSite(owner, [nextHost()]);
    const add = (old_path: string, fields: object) =>
      addRedirect(owner, id, { old_path, new_path: '/to', status_code: 301, ...fields });
    await add('/a', { notes: "it's 100% $1" });
    await add('/ü_b', { status_code: 302, target_environments: 'staging' });
    await add('/(c|d)', { is_regex: true, active_until: '2020-01-01T00:00:00Z' });
    const exported = async (query: string) => {
      const { body } = await exportOf(id, query);
      expect(Object.keys(body.filters).length).toBe(query.split('&').length - 1);
      return body.redirects.map((each: { old_path: string }) => each.old_path).toSorted();
    };
    const listed = async (query: string) => {
      const { body } = await owner.call('GET', `/api/redirects?website_id=${id}${query}`);
      return body.redirects.map((each: { old_path: string }) => each.old_path).toSorted();
    };
    const found = {
      [`&q=${encodeURIComponent('%C3%BC_B')}`]: ['/ü_b'],
      [`&notes=${encodeURIComponent("'S 100% $1")}`]: ['/a'],
      '&status_code=302&q=b': ['/ü_b'],
      '&is_regex=true': ['/(c|d)'],
      '&schedule=expired': ['/(c|d)'],
      '&schedule_before=2099-01-01': [],
      '&new_path=/to&status_code=302': ['/ü_b'],
      '&new_path=/t': [],
      '&new_path_contains=T&status_code=302': ['/ü_b'],
      '&new_path_contains=%25': [],
      '&old_path_contains=C|': ['/(c|d)'],
      '&not_status_code=302&not_old_path_contains=(': ['/a'],
      '&updated_since=2020-01-01&not_new_path_contains=/TO': [],
      '&created_before=2020-01-01': [],
      '&last_hit_before=2030-01-01&is_regex=false': ['/a', '/ü_b'],
    };
    for (const [query, paths] of Object.entries(found)) {
      expect([query, await exported(query)]).toEqual([query, paths]);
      expect([query, await listed(query)]).toEqual([query, paths]);
    }
    expect(await exported('&target_environment=staging')).toEqual(['/ü_b']);
    expect(await exported('&not_target_environment=staging&is_regex=false')).toEqual(['/a']);
    expect((await exportOf(id, '&status_code=301&status_code=410&group_id=&group_id=x')).body).toMatchObject({
      filters: { status_code: ['301', '410'], group_id: ['', 'x'] },
      total_count: 2,
    });
  });

  test.each(['&q=a&format=nginx', '&q=a&version=live', '&status_code=301&version=1'])(
    'filters of the current redirects are 400 for anything else: %s',
    async (query) => {
      const id = await createSite(owner, [nextHost()]);
      const { status, body } = await exportOf(id, query);
      expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
      expect(body.details).toContain('selects from the current redirects');
    },
  );

  test('a read key is enough', async () => {
    const id = await createSite(owner, [nextHost()]);
    const { body } = await owner.call('POST', '/api/keys', { name: 'reader', scope: 'read' });
    const answer = await send(detour.address, 'GET', `/api/v1/redirects/bulk/export?website_id=${id}`, undefined, {
      authorization: `Bearer ${body.api_key.key}`,
    });
    expect(answer.status).toBe(200);
  });

  test('one event is stored for each export, with what was exported', async () => {
    const id = await createSite(owner, [nextHost()]);
    await addRedirect(owner, id, { old_path: '/a', new_path: '/1', group_id: 'g' });
    const { body } = await exportOf(id, '&group_id=g');
    await exportText(id, '&format=csv');
    const events = await exportEvents(id);
    expect(events).toHaveLength(2);
    expect(events[0]?.data.export).toEqual({
      export_id: body.export_id,
      website_id: String(id),
      format: 'json',
      filters: { group_id: 'g' },
      total_count: 1,
      exported_at: body.exported_at,
    });
    expect(events[1]?.data.export).toMatchObject({ format: 'csv', filters: {}, total_count: 1 });
  });
});

describe('lossless', () => {
  /** Ids and times are of the website; everything else must come back. */
  const withoutOwn = (text: string): string =>
    text
      .replace(/"id":"\d+"|"(created_at|deployed_to_prod)":(null|"[^"]*")/g, '')
      .replace(/,\d+,[^,]*Z,([^,]*Z)?$/gm, '');

  test('an ndjson export imported into another website exports the same bytes, except ids and times', async () => {
    const id = await awkwardSite();
    const { text, headers } = await exportText(id, '&format=ndjson');
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const other = await createSite(owner, [nextHost()]);
    const imported = await send<{ summary: object }>(
      detour.address,
      'POST',
      `/api/v1/redirects/bulk?website_id=${other}`,
      text,
      { authorization: `Bearer ${owner.key}`, 'content-type': 'application/x-ndjson' },
    );
    expect(imported.body).toMatchObject({ summary: { created: AWKWARD.length, errors: 0 } });
    expect(withoutOwn((await exportText(other, '&format=ndjson')).text)).toBe(withoutOwn(text));
  });

  test('a csv export imported into another website exports the same bytes, except ids and times', async () => {
    const id = await awkwardSite();
    const { text, headers } = await exportText(id, '&format=csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const other = await createSite(owner, [nextHost()]);
    const form = new FormData();
    form.append('file', new Blob([text]), 'export.csv');
    form.append('website_id', String(other));
    const imported = await owner.call('POST', '/api/redirects/import', form);
    expect(imported.body).toMatchObject({ imported: AWKWARD.length, errors: [] });
    const again = (await exportText(other, '&format=csv')).text;
    expect(withoutOwn(again)).toBe(withoutOwn(text));
    expect(withoutOwn((await exportText(other, '&format=ndjson')).text)).toBe(
      withoutOwn((await exportText(id, '&format=ndjson')).text),
    );
  });

  test('no cell of a csv export begins as a formula does', async () => {
    const { text } = await exportText(await awkwardSite(), '&format=csv');
    expect(text).toContain(',\" -2+3,\"\"x');
    expect(text).toContain(' =1+1');
    expect(text).not.toMatch(/(^|,|")[=+\-@]/m);
  });

  test('the real file comes back as it was imported', async () => {
    const file = await readFile(join(import.meta.dirname, '../../fixtures/windows-driver-docs.csv'));
    const id = await createSite(owner, [nextHost()]);
    const form = new FormData();
    form.append('file', new Blob([file]), 'real.csv');
    form.append('website_id', String(id));
    const { body } = await owner.call('POST', '/api/redirects/import', form);
    const exported = await exportOf(id);
    expect(exported.body.total_count).toBe(body.imported);
    const other = await createSite(owner, [nextHost()]);
    const back = new FormData();
    back.append('file', new Blob([(await exportText(id, '&format=csv')).text]), 'back.csv');
    back.append('website_id', String(other));
    expect((await owner.call('POST', '/api/redirects/import', back)).body.imported).toBe(body.imported);
    expect(withoutOwn((await exportText(other, '&format=csv')).text)).toBe(
      withoutOwn((await exportText(id, '&format=csv')).text),
    );
  });
});

describe('a version', () => {
  /** Version 1 has a, b and s; version 2 changes a, deletes b and adds c. The draft then deletes c and adds d. */
  async function versions(): Promise<{ id: number; a: number; b: number }> {
    const id = await createSite(owner, [nextHost()], { auto_deploy: false });
    const a = await addRedirect(owner, id, { old_path: '/a', new_path: '/1', group_id: 'g', notes: 'first' });
    const b = await addRedirect(owner, id, {
      old_path: '/b',
      new_path: '/1',
      target_environments: 'production,staging',
    });
    await addRedirect(owner, id, { old_path: '/s', new_path: '/1', target_environments: 'staging' });
    await deploy(owner, id);
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/2', notes: 'second' });
    await owner.call('DELETE', `/api/redirects/${b}`);
    const c = await addRedirect(owner, id, { old_path: '/c', new_path: '/1' });
    await deploy(owner, id);
    await owner.call('DELETE', `/api/redirects/${c}`);
    await addRedirect(owner, id, { old_path: '/d', new_path: '/1' });
    await owner.call('PUT', `/api/redirects/${a}`, { old_path: '/%61', group_id: null, notes: 'third' });
    return { id, a, b };
  }
  const brief = ({ body }: { body: { redirects: { old_path: string; new_path: string }[] } }) =>
    body.redirects.map(({ old_path, new_path }) => `${old_path} ${new_path}`);

  test('has its own rules, whatever was edited, deleted and added since', async () => {
    const { id, a, b } = await versions();
    expect(brief(await exportOf(id, '&version=1'))).toEqual(['/a /1', '/b /1']);
    expect(brief(await exportOf(id, '&version=2'))).toEqual(['/a /2', '/c /1']);
    expect(brief(await exportOf(id, '&version=draft'))).toEqual(['/%61 /2', '/d /1', '/s /1']);
    const live = await exportOf(id, '&version=live');
    expect(brief(live)).toEqual(['/a /2', '/c /1']);
    expect(live.body).toMatchObject({ environment: 'production', version: 2, total_count: 2, filters: {} });
    const first = (await exportOf(id, '&version=1')).body.redirects;
    expect(first).toMatchObject([
      { id: String(a), group_id: 'g', notes: 'first', target_environments: ['production'] },
      { id: String(b), group_id: null, created_at: expect.any(String), target_environments: ['production', 'staging'] },
    ]);
    expect(live.body.redirects[0]).toMatchObject({ group_id: 'g', notes: 'second' });
    expect((await exportOf(id, '&version=draft')).body.redirects[0]).toMatchObject({ group_id: null, notes: 'third' });
    expect(brief(await exportOf(id, '&version=1&group_id=g'))).toEqual(['/a /1']);
    const staging = await exportOf(id, '&version=live&environment=staging');
    expect(staging.body).toMatchObject({ environment: 'staging', version: 0, redirects: [] });
    const csv = (await exportText(id, '&version=1&format=csv')).text.trimEnd().split('\n');
    expect(csv.slice(1).map((line) => line.split(',', 2).join(' '))).toEqual(['/a /1', '/b /1']);
    const events = await exportEvents(id);
    expect(events.at(-1)?.data.export).toMatchObject({ environment: 'production', version: 1, total_count: 2 });
  });

  test('deployed_to_prod is the time since which the rule was unchanged up to that version', async () => {
    const id = await createSite(owner, [nextHost()], { auto_deploy: false });
    const a = await addRedirect(owner, id, { old_path: '/a', new_path: '/1' });
    await addRedirect(owner, id, { old_path: '/b', new_path: '/1' });
    const edit = (target: string) => owner.call('PUT', `/api/redirects/${a}`, { new_path: target });
    await deploy(owner, id);
    await edit('/2');
    await deploy(owner, id);
    await deploy(owner, id);
    await detour.db.execute(sql`update versions set deployed_at = '2030-01-01T00:00:00Z'::timestamptz
      + version * interval '1 day' where website_id = ${id}`);
    const days = async (version: number | string) => {
      const { redirects } = (await exportOf(id, `&version=${version}`)).body;
      return redirects.map((each: { deployed_to_prod: string }) => Number(each.deployed_to_prod.slice(8, 10)) - 1);
    };
    expect([await days(1), await days(2), await days(3)]).toEqual([
      [1, 1],
      [2, 1],
      [2, 1],
    ]);
    const times = (redirects: { deployed_to_prod: string }[]) => redirects.map((each) => each.deployed_to_prod);
    expect(times((await exportOf(id, '&version=live')).body.redirects)).toEqual(
      times((await exportOf(id)).body.redirects),
    );
    await edit('/3');
    expect([await days('live'), await days(1)]).toEqual([
      [2, 1],
      [1, 1],
    ]);
  });

  test('a server configuration is by default of what is live, so that a scheduled download leaks no draft', async () => {
    const { id } = await versions();
    const netlify = async (more = '') => (await exportText(id, `&format=netlify${more}`)).text.split('\n');
    expect(await netlify()).toEqual([
      `# Redirects of website ${id}, version 2 of production.`,
      '/a /2 301!',
      '/c /1 301!',
      '',
    ]);
    expect(await netlify('&version=1')).toEqual(expect.arrayContaining(['/a /1 301!', '/b /1 301!']));
    expect(await netlify('&version=draft')).toEqual(expect.arrayContaining(['/a /2 301!', '/d /1 301!']));
    expect((await netlify('&version=draft&environment=staging')).slice(1)).toEqual(['/s /1 301!', '']);
    const nothing = `# Redirects of website ${id}, nothing is deployed to staging yet.`;
    expect(await netlify('&environment=staging')).toEqual([nothing, '']);
    expect((await exportText(id, '&format=vercel&environment=staging')).text).toBe('[\n\n]\n');
  });

  test('that was promoted has the rules of the other environment', async () => {
    const { id } = await versions();
    await deploy(owner, id, 'staging');
    await promote(owner, id, 'staging', 'production');
    expect(brief(await exportOf(id, '&version=live'))).toEqual(['/s /1']);
    expect((await exportText(id, '&format=netlify')).text).toContain('/s /1 301!');
  });

  test('that does not exist is 404, and one that is no longer retained is refused', async () => {
    const { id } = await versions();
    for (const query of ['&version=3', '&version=0', '&version=1&environment=staging', '&format=nginx&version=3']) {
      const { status, body } = await exportOf(id, query);
      expect([query, status, body.code]).toEqual([query, 404, 'VERSION_NOT_FOUND']);
    }
    for (const query of ['&version=-1', '&version=latest', '&version=', '&version=draft&environment=staging']) {
      const { status, body } = await exportOf(id, query);
      expect([query, status, body.code]).toEqual([query, 400, 'INVALID_PARAMETER']);
    }
    await detour.db.execute(sql`update website_environments set live_version = 200 where website_id = ${id}`);
    await detour.db.execute(sql`update versions set deployed_at = now() - interval '91 days' where website_id = ${id}`);
    expect((await exportOf(id, '&version=1')).body.code).toBe('VERSION_EXPIRED');
  });

  test('has an ETag, and is 304 without an event until its content changes', async () => {
    const { id, a } = await versions();
    const ask = async (query: string, tag = '') => {
      const { headers, status } = await send(
        detour.address,
        'GET',
        `/api/v1/redirects/bulk/export?website_id=${id}${query}`,
        undefined,
        { authorization: `Bearer ${owner.key}`, ...(tag && { 'if-none-match': tag }) },
      );
      return { status, tag: headers.get('etag') ?? '' };
    };
    const queries = [
      '',
      '&format=csv',
      '&format=nginx',
      '&format=nginx&version=1',
      '&version=live',
      '&format=nginx&lossy=true',
    ];
    const tags = new Map<string, string>();
    for (const query of queries) tags.set(query, (await ask(query)).tag);
    for (const tag of tags.values()) expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(new Set(tags.values()).size).toBe(queries.length);
    const before = (await exportEvents(id)).length;
    for (const [query, tag] of tags) {
      for (const header of [tag, `"other", ${tag.slice(2)}`]) expect((await ask(query, header)).status).toBe(304);
    }
    expect(await exportEvents(id)).toHaveLength(before);
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/3' });
    const changed = async () => {
      const statuses = await Promise.all(queries.map(async (query) => (await ask(query, tags.get(query))).status));
      return queries.filter((_, at) => statuses[at] !== 304);
    };
    expect(await changed()).toEqual(['', '&format=csv']);
    await deploy(owner, id);
    expect(await changed()).toEqual(['', '&format=csv', '&format=nginx', '&version=live', '&format=nginx&lossy=true']);
    await owner.call('PUT', `/api/websites/${id}`, { query: 'drop' });
    expect(await changed()).toEqual(queries);
  });
});

test('an export that is compressed is the same, with a weak ETag that matches in both forms', async () => {
  const id = await createSite(owner, [nextHost()], { auto_deploy: false });
  await addRedirect(owner, id, { old_path: '/zipped', new_path: '/x' });
  const ask = async (encoding: string, tag?: string) => {
    const { status, headers } = await fetch(
      `${detour.address}/api/v1/redirects/bulk/export?website_id=${id}&format=csv`,
      {
        headers: {
          authorization: `Bearer ${owner.key}`,
          'accept-encoding': encoding,
          ...(tag && { 'if-none-match': tag }),
        },
      },
    );
    return { status, encoding: headers.get('content-encoding'), vary: headers.get('vary'), tag: headers.get('etag') };
  };
  const plain = await ask('identity');
  const zipped = await ask('gzip');
  expect(plain).toMatchObject({ status: 200, encoding: null, vary: 'Accept-Encoding' });
  expect(zipped).toEqual({ status: 200, encoding: 'gzip', vary: 'Accept-Encoding', tag: `W/${plain.tag}` });
  for (const { tag } of [plain, zipped]) {
    expect(await ask('identity', String(tag))).toEqual({ ...plain, status: 304 });
    expect(await ask('gzip', String(tag))).toEqual({ ...zipped, status: 304, encoding: null });
  }
});

test('an export that is refused has no ETag and no file name, and is never 304', async () => {
  const id = await createSite(owner, [nextHost()], { auto_deploy: false });
  await addRedirect(owner, id, { old_path: '/re/.+', new_path: '/x', is_regex: true });
  for (const tag of ['', '*']) {
    const { status, headers } = await send(
      detour.address,
      'GET',
      `/api/v1/redirects/bulk/export?website_id=${id}&format=cloudflare&version=draft`,
      undefined,
      { authorization: `Bearer ${owner.key}`, ...(tag && { 'if-none-match': tag }) },
    );
    expect([status, headers.get('etag'), headers.get('content-disposition')]).toEqual([422, null, null]);
  }
});

describe('400', () => {
  test('without website_id it says which parameter is missing', async () => {
    const { status, body } = await owner.keyCall('GET', '/api/v1/redirects/bulk/export');
    expect([status, body.code]).toEqual([400, 'MISSING_PARAMETER']);
    expect(body.details).toContain('website_id');
  });

  test.each(['&format=xml', '&format=JSON', '&format=', '&page=2', '&format=csv&format=json', '&group_id=%00'])(
    'an unknown format or parameter is rejected by name (%s)',
    async (query) => {
      const { status, body } = await exportOf(1, query);
      expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
      expect(body.details).toContain(query.slice(1).split('=')[0]);
    },
  );
});

describe('403 and 404', () => {
  test.each(['0', '01', 'abc', '1.5', '-1', '99999999999', '2147483647', ''])(
    'a website that there is not is 404 (%s)',
    async (id) => {
      const { status, body } = await exportOf(id);
      expect([status, body.code]).toEqual([404, 'WEBSITE_NOT_FOUND']);
    },
  );

  test('the website of another account is 404 and makes no event', async () => {
    const id = await createSite(owner, [nextHost()]);
    const stranger = await detour.account();
    expect((await exportOf(id, '', stranger)).status).toBe(404);
    expect(await exportEvents(id)).toEqual([]);
  });

  test('a plan without API access is rejected', async () => {
    const { status, body } = await exportOf(1, '', await detour.account('free'));
    expect([status, body.code]).toEqual([403, 'PLAN_REQUIRED']);
  });
});
