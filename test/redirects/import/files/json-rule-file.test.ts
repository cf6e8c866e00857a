/** Files of this service at the import of files: an export goes back in as it came out, or the error says why not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send, sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import {
  expectRefusal,
  importFile,
  newHost,
  newRedirect,
  newWebsite,
  redirectsOf,
} from '../../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const into = (id: number, file: string | Uint8Array<ArrayBuffer>, options: Record<string, string> = {}) =>
  importFile(owner, file, { website_id: String(id), ...options });

const DRY = { dry_run: 'true', report: 'true' };

/** The redirects without their ids and times, by path. */
async function rulesOf(id: number) {
  const rules: Record<string, unknown>[] = await redirectsOf(owner, id);
  return rules
    .map(({ id: _id, website_id: _website, created_at: _created, updated_at: _updated, ...rule }) => rule)
    .toSorted((a, b) => String(a['old_path']).localeCompare(String(b['old_path'])));
}

const errorsOf = (body: { errors: { line: number; column: string; code: string; message: string }[] }) =>
  body.errors.map(({ line, column, code, message }) => `${line} ${column} ${code} ${message}`);

async function siteWithRules(): Promise<number> {
  const id = await newWebsite(owner);
  const rule = (fields: object) => newRedirect(owner, { website_id: id, ...fields });
  await rule({ old_path: '/a?x=1', new_path: '/b#part', group_id: 'spring', notes: 'two\nlines', status_code: 302 });
  await rule({ old_path: '^/p/(.*)$', new_path: '/q/$1', is_regex: true });
  await rule({ old_path: '/gone*', new_path: null, status_code: 410, target_environments: '' });
  await rule({ old_path: '/Ünï', new_path: '/x', active_from: '2030-01-31T12:00:00Z' });
  return id;
}

describe.each(['json', 'ndjson'])('an export as %s', (format) => {
  const exported = async (id: number): Promise<string> => {
    const url = `${detour.address}/api/v1/redirects/bulk/export?website_id=${id}&format=${format}`;
    return (await fetch(url, { headers: { authorization: `Bearer ${owner.key}` } })).text();
  };

  test('goes back in as it came out: all unchanged, and the same redirects in another website', async () => {
    const id = await siteWithRules();
    const file = await exported(id);
    const { body } = await into(id, file, { ...DRY, on_conflict: 'update' });
    expect(body).toMatchObject({ format, error_count: 0, changed: 0, columns: [], verdicts: { unchanged: 4 } });
    expect(body.notices.map(({ code, column }: { code: string; column: string }) => `${code} ${column}`)).toEqual([
      'COLUMN_IGNORED id',
      'COLUMN_IGNORED created_at',
      'COLUMN_IGNORED deployed_to_prod',
    ]);
    const other = await newWebsite(owner);
    // Windows saves text as UTF-16.
    const utf16 = new Uint8Array(Buffer.from(`\ufeff${file}`, 'utf16le'));
    expect((await into(other, utf16)).body).toMatchObject({ imported: 4, error_count: 0 });
    expect(await rulesOf(other)).toEqual(await rulesOf(id));
  });

  test('group_id and target_environments of the import are for entries without a value', async () => {
    const id = await newWebsite(owner);
    const options = { group_id: 'moved', target_environments: 'staging' };
    await into(id, await exported(await siteWithRules()), options);
    const labels = (await rulesOf(id)).map((rule) => [rule['group_id'], rule['target_environments']]);
    expect(labels).toEqual([
      ['spring', 'production'],
      ['moved', ''],
      ['moved', 'production'],
      ['moved', 'production'],
    ]);
  });
});

/** Entries with an error each, and one without. */
const ENTRIES = [
  { old_path: '/fine', new_path: '/x' },
  { old_path: 'no-slash', new_path: '/x', group_id: 'g' },
  { old_path: '/host', new_path: 'https://One.example/x' },
  { old_path: '/draft', new_path: 'x', target_environments: [] },
  { old_path: '/type', new_path: '/x', status_code: '301' },
  { old_path: '/none' },
  { old_path: '/other', new_path: '/x', weight: 3 },
];
const ERRORS = [
  'old_path INVALID_OLD_PATH old_path is "no-slash": must begin with exactly one "/", such as /old-page',
  'new_path TARGET_HOST_NOT_ALLOWED new_path is "https://One.example/x": the host one.example is not in the website\'s allowed_target_hosts; add it there first',
  'new_path INVALID_NEW_PATH new_path is "x": must begin with exactly one "/", such as /new-page, or be an https URL on an allowed target host',
  'status_code INVALID_PARAMETER status_code must be a number; it is "301"',
  'new_path MISSING_PARAMETER new_path is required; only a 410 or 451 has no target',
  'weight UNKNOWN_FIELD "weight" is not a known field; remove it',
];

describe('invalid entries', () => {
  test('of NDJSON have their line, of JSON the number of their entry; hosts are counted', async () => {
    const id = await newWebsite(owner);
    const lines = ENTRIES.map((entry) => JSON.stringify(entry));
    const ndjson = await into(id, ['', lines[0], '', ...lines.slice(1), '{"old_path": "/cut"'].join('\r\n'), DRY);
    expect(errorsOf(ndjson.body)).toEqual([
      ...ERRORS.map((error, at) => `${at + 4} ${error}`),
      expect.stringMatching(/^10 row MALFORMED_ROW the line is not JSON; .*: \{"old_path": "\/cut"$/),
    ]);
    const json = await into(id, JSON.stringify([...ENTRIES, '/text'], null, 2), DRY);
    expect(errorsOf(json.body)).toEqual([
      ...ERRORS.map((error, at) => `${at + 2} ${error}`),
      '8 row MALFORMED_ROW an entry must be an object with old_path and new_path',
    ]);
    expect(json.body).toMatchObject({ format: 'json', hosts_not_allowed: [{ host: 'one.example', count: 1 }] });
    expect(await rulesOf(id)).toEqual([]);
  });

  test('can be corrected by line; unknown fields can be ignored', async () => {
    const id = await newWebsite(owner);
    const file = JSON.stringify({ website_id: String(id), redirects: ENTRIES });
    const corrections = {
      2: { old_path: '/slash', group_id: '' },
      3: { new_path: '/y', is_regex: 'no', target_environments: 'staging, production' },
      4: { new_path: '/z' },
      5: { status_code: 'FOUND' },
    };
    const options = { ignore_unknown: 'true', corrections: JSON.stringify(corrections) };
    const checked = await into(id, file, { ...options, ...DRY });
    const { rows } = (await owner.call('GET', `/api/imports/${checked.body.import_id}/rows?verdict=invalid`)).body;
    const values = { new_path: '', status_code: '', is_regex: '', group_id: '', target_environments: '' };
    expect(rows).toMatchObject([{ line: 6, error: { column: 'new_path' } }]);
    expect(rows[0].values).toEqual({ ...values, old_path: '/none' });
    const { body } = await into(id, file, options);
    expect(body).toMatchObject({ imported: 6, error_count: 1 });
    expect(body.notices).toEqual([{ code: 'COLUMN_IGNORED', column: 'weight', count: 1 }]);
    expect(await rulesOf(id)).toMatchObject([
      { old_path: '/draft', new_path: '/z', target_environments: '' },
      { old_path: '/fine' },
      { old_path: '/host', new_path: '/y', is_regex: false, target_environments: 'production,staging' },
      { old_path: '/other' },
      { old_path: '/slash', group_id: null },
      { old_path: '/type', status_code: 302 },
    ]);
    const undone = await owner.call('POST', `/api/changes/${body.change_id}/undo`, {});
    expect([undone.status, await rulesOf(id)]).toEqual([200, []]);
    const unused = await into(id, file, { corrections: '{"8": {"old_path": "/a"}}' });
    expectRefusal(unused, 422, 'VALIDATION_ERROR', 'no row begins at line 8');
  });

  test('are a list that imports as CSV once it is fixed; a draft stays a draft', async () => {
    const id = await newWebsite(owner);
    const { body } = await into(id, ENTRIES.map((entry) => JSON.stringify(entry)).join('\n'));
    const { text } = await owner.call('GET', `/api/imports/${body.import_id}/errors?format=csv`);
    const fixed = text
      .replace(',no-slash,', ',/slash,')
      .replace(',https://One.example/x,', ',/y,')
      .replace(',/draft,x,', ',/draft,/z,')
      .replace(',/none,,', ',/none,/n,');
    expect((await into(id, fixed)).body).toMatchObject({ error_count: 0, imported: 6 });
    expect(await rulesOf(id)).toMatchObject([
      { old_path: '/draft', target_environments: '' },
      { old_path: '/fine' },
      { old_path: '/host', target_environments: 'production' },
      { old_path: '/none' },
      { old_path: '/other' },
      { old_path: '/slash', group_id: 'g' },
      { old_path: '/type' },
    ]);
  });
});

describe('a bulk body', () => {
  test('has a list of errors that keeps what its entries do not name', async () => {
    const id = await newWebsite(owner);
    const kept = { old_path: '/kept', new_path: '/x', notes: 'why', group_id: 'g' };
    await into(id, JSON.stringify([kept]));
    const redirects = [{ old_path: '/kept', new_path: 'y' }];
    const update = { on_conflict: 'update' };
    for (const [body, group] of [
      [{ redirects, website_id: String(id) }, 'g'],
      [{ redirects, website_id: String(id), group_id: 'call', target_environments: ['staging'] }, 'call'],
    ] as const) {
      const answer = await into(id, JSON.stringify(body), update);
      const { text } = await owner.call('GET', `/api/imports/${answer.body.import_id}/errors?format=csv`);
      expect((await into(id, text.replace(',y,', `,/${group},`), update)).body).toMatchObject({ changed: 1 });
      expect(await rulesOf(id)).toMatchObject([{ new_path: `/${group}`, notes: 'why', group_id: group }]);
    }
    expect(await rulesOf(id)).toMatchObject([{ target_environments: 'staging' }]);
  });

  test('has its own defaults, which go before those of the import', async () => {
    const id = await newWebsite(owner);
    const redirects = [
      { old_path: '/a', new_path: '/b' },
      { old_path: '/c', new_path: '/d', group_id: 'own' },
    ];
    const file = JSON.stringify({
      redirects,
      group_id: 'file',
      target_environments: ['staging'],
      website_id: String(id),
    });
    expect((await into(id, file, { group_id: 'form', target_environments: 'production' })).body.imported).toBe(2);
    expect(await rulesOf(id)).toMatchObject([
      { group_id: 'file', target_environments: 'staging' },
      { group_id: 'own', target_environments: 'staging' },
    ]);
  });

  test.each([
    ['another website', '{"website_id":"7777777","redirects":[]}', 'website_id is \\"7777777\\"'],
    ['an option of the call', '{"website_id":"ID","dry_run":true,"redirects":[]}', 'dry_run\\" is a field of the bulk'],
    ['an unknown field', '{"export_id":"x","redirecs":[]}', 'redirecs\\" is not a known field'],
    ['no list', '{"export_id":"x"}', 'has no list of redirects'],
    ['another value as its list', '{"export_id":"x","redirects":{}}', 'redirects must be a list'],
    ['a missing comma', '[{"old_path":"/a","new_path":"/b"} {"old_path":"/c"}]', 'after entry 1'],
    ['a missing end', '{"redirects":[{"old_path":"/a","new_path":"/b"}', 'the JSON cannot be read'],
    ['other JSON', '{"name":"x"}', 'has no redirects'],
  ])('with %s is rejected as a whole', async (_, text, message) => {
    const id = await newWebsite(owner);
    const answer = await into(id, text.replace('ID', String(id)));
    expectRefusal(answer, 422, 'VALIDATION_ERROR', 'file');
    expect(answer.text).toContain(message);
    expect(await rulesOf(id)).toEqual([]);
  });

  test.each([{ columns: '{"a":"old_path"}' }, { add_slash: 'true' }, { wildcards: 'convert' }])(
    'with the option %j for CSV is rejected',
    async (options) => {
      const answer = await into(await newWebsite(owner), JSON.stringify(ENTRIES), options);
      expectRefusal(answer, 422, 'VALIDATION_ERROR', Object.keys(options)[0]);
      expect(answer.text).toContain('of the format json');
    },
  );
});
describe('an export for a server', () => {
  const RULES = [
    { old_path: '/Team', new_path: '/about/team' },
    { old_path: '/jobs/', new_path: 'https://jobs.example.org/list?from=site', status_code: 302 },
    { old_path: '/café', new_path: '/menu' },
    { old_path: '/part', new_path: '/page#part', status_code: 308 },
    { old_path: '/q?id=5', new_path: '/five' },
    { old_path: '^/p/(.*)$', new_path: '/q/$1', is_regex: true },
    { old_path: '^/r/(.*)$', new_path: '/r2?to=$1&a=b', is_regex: true },
    { old_path: '/Gone', new_path: null, status_code: 410 },
  ];

  async function exportedSite(format: string, options: object): Promise<{ id: number; text: string }> {
    const id = await newWebsite(owner, {
      hosts: [{ hostname: newHost(), environment: 'production' }],
      allowed_target_hosts: ['jobs.example.org'],
      ...options,
    });
    for (const rule of RULES) await newRedirect(owner, { website_id: id, ...rule });
    const query = `website_id=${id}&format=${format}&version=draft&lossy=true`;
    const url = `${detour.address}/api/v1/redirects/bulk/export?${query}`;
    return { id, text: await (await fetch(url, { headers: { authorization: `Bearer ${owner.key}` } })).text() };
  }

  test.each([
    ['apache', {}, 7, 0],
    ['apache', { query: 'drop', case_sensitive: false, trailing_slash: 'exact' }, 6, 0],
    ['nginx', {}, 7, 0],
    ['nginx', { query: 'drop', case_sensitive: false, trailing_slash: 'exact' }, 6, 0],
    ['netlify', {}, 1, 0],
    ['vercel', { query: 'drop' }, 4, 4],
    ['vercel', { query: 'drop', case_sensitive: false, trailing_slash: 'exact' }, 3, 0],
    ['cloudflare', { query: 'drop' }, 4, 4],
  ])('of %s with %j goes back in without a change', async (format, options, unchanged, repeated) => {
    // Apache compares a required query in a way that no other rule has.
    const error_count = format === 'apache' ? ('query' in options ? 1 : 2) : 0;
    const { id, text } = await exportedSite(format, options);
    const { body } = await into(id, text, { ...DRY, on_conflict: 'update' });
    expect(body).toMatchObject({ format, error_count, imported: 0, changed: 0, verdicts: { unchanged } });
    expect(body.verdicts.repeated).toBe(repeated);
  });

  test('of Caddy is rejected, and the error names what to import', async () => {
    const { id, text } = await exportedSite('caddy', {});
    const answer = await into(id, text, DRY);
    expectRefusal(answer, 422, 'VALIDATION_ERROR', 'file');
    expect(answer.text).toContain('export the redirects as CSV or JSON');
  });
});

test('a sync of JSON as text/csv names the type to send', async () => {
  const id = await newWebsite(owner);
  const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'text/csv' };
  const path = `/api/v1/websites/${id}/redirects`;
  const answer = await send(detour.address, 'PUT', path, '[{"old_path":"/a"}]', headers);
  expectRefusal(answer, 422, 'VALIDATION_ERROR', 'send it as application/json');
});
