/**
 * Holds the rules of src/redirects/import/files/import-bulk.ts, src/redirects/import/engine/run-import.ts,
 * admit-patterns.ts, invalid-entries.ts and import-record.ts.
 */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { until } from '../../support/wait.ts';

interface ListedRow {
  old_path: string;
  new_path: string;
  group_id: string | null;
  target_environments: string;
}

interface ErrorBody {
  code: string;
  details: string;
  summary: { created: number };
}

let detour: TestDetour;
let owner: TestAccount;
let sites = 0;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

/** Creates a website with a separate host; `id` is the string of the key API. */
async function site(more: object = {}): Promise<{ id: string; host: string }> {
  const host = `bulk${++sites}.example.com`;
  const hosts = [{ hostname: host, environment: 'production' }];
  const { body } = await owner.call('POST', '/api/websites', { name: host, hosts, ...more });
  return { id: String(body.website.id), host };
}

const bulk = (body: unknown) => owner.keyCall('POST', '/api/v1/redirects/bulk', body);
const list = async (id: string) => (await owner.call('GET', `/api/redirects?website_id=${id}&sort=id`)).body.redirects;
const rule = (old_path: string, new_path = '/to') => ({ old_path, new_path, status_code: 301 });

/** Sends exactly these bytes. */
function sendRaw(body: Buffer, headers: Record<string, string>): Promise<{ status: number; body: ErrorBody }> {
  const { hostname, port } = new URL(detour.address);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        method: 'POST',
        path: '/api/v1/redirects/bulk',
        headers: { authorization: `Bearer ${owner.key}`, ...headers },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const json = { 'content-type': 'application/json' };

async function noTraces(): Promise<void> {
  await until(async () => {
    const { rows } = await detour.db.execute(sql`select relname from pg_class where relname like 'import_stage_%'`);
    return rows.length === 0;
  });
}

describe('200', () => {
  test('the response has the specified fields, and the imported redirects are live', async () => {
    const { id, host } = await site();
    const answer = await bulk({
      website_id: id,
      redirects: [rule('/a', '/b'), { old_path: '/c', new_path: '/d', status_code: 302 }],
      group_id: 'spring',
      target_environments: ['production', 'staging'],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      import_id: expect.stringMatching(/^imp_/),
      summary: { total_submitted: 2, created: 2, updated: 0, errors: 0 },
      processing_time: expect.stringMatching(/^\d+\.\d\ds$/),
      batch_info: { batch_size: 1000, total_batches: 1 },
      errors: [],
      deployments: [expect.stringMatching(/^dep_/), expect.stringMatching(/^dep_/)],
      change_id: expect.stringMatching(/^chg_/),
    });
    await until(async () => (await detour.visit(host, '/c')).status === 302);
    expect(await list(id)).toMatchObject([
      { old_path: '/a', new_path: '/b', group_id: 'spring', target_environments: 'production,staging' },
      { old_path: '/c', status_code: 302 },
    ]);
  });

  test('an empty list is a valid call with zeros', async () => {
    const { id } = await site();
    const { status, body } = await bulk({ website_id: id, redirects: [] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      summary: { total_submitted: 0, created: 0, updated: 0, errors: 0 },
      batch_info: { total_batches: 0 },
      deployments: [],
      change_id: null,
    });
  });

  test('an existing path is updated: its target, and other fields only if provided', async () => {
    const { id } = await site();
    await bulk({
      website_id: id,
      redirects: [{ ...rule('/a', '/one'), status_code: 302, notes: 'kept', group_id: 'g' }],
    });
    const { body } = await bulk({
      website_id: id,
      redirects: [{ old_path: '/a', new_path: '/two' }, rule('/b')],
    });
    expect(body.summary).toEqual({ total_submitted: 2, created: 1, updated: 1, errors: 0 });
    expect((await list(id))[0]).toMatchObject({
      new_path: '/two',
      status_code: 302,
      notes: 'kept',
      group_id: 'g',
    });
  });

  test('a path twice in one call is created, then updated: each field has its last provided value', async () => {
    const { id } = await site();
    const { body } = await bulk({
      website_id: id,
      redirects: [
        { old_path: '/a', new_path: '/1', status_code: 302, notes: 'first' },
        { old_path: '/%61', new_path: '/2', group_id: 'g' },
        { old_path: '/a', new_path: '/3', status_code: 308 },
      ],
    });
    expect(body.summary).toEqual({ total_submitted: 3, created: 1, updated: 2, errors: 0 });
    expect(await list(id)).toMatchObject([
      { old_path: '/a', new_path: '/3', status_code: 308, notes: 'first', group_id: 'g' },
    ]);
  });

  test('invalid entries are counted and listed with their index, the rest is applied', async () => {
    const { id } = await site();
    const { body } = await bulk({
      website_id: id,
      redirects: [
        rule('/ok'),
        rule('no-slash'),
        { old_path: '/x' },
        { old_path: '/x', new_path: '/y', status_code: '301' },
        { old_path: '/x', new_path: '/y', colour: 'red' },
        'text',
        rule('/self', '/self'),
        { ...rule('/x'), status_code: 200 },
        { ...rule('/x'), target_environments: ['mars'] },
        { ...rule('/x(', '/y'), is_regex: true },
        { ...rule('/p/(.*)', '/q/$2'), is_regex: true },
        rule('/x', 'https://elsewhere.example/'),
      ],
    });
    expect(body.summary).toEqual({ total_submitted: 12, created: 1, updated: 0, errors: 11 });
    const codes = body.errors.map((error: { index: number; code: string }) => [error.index, error.code]);
    expect(codes).toEqual([
      [1, 'INVALID_OLD_PATH'],
      [2, 'MISSING_PARAMETER'],
      [3, 'INVALID_PARAMETER'],
      [4, 'UNKNOWN_FIELD'],
      [5, 'INVALID_PARAMETER'],
      [6, 'REDIRECT_LOOP'],
      [7, 'INVALID_STATUS_CODE'],
      [8, 'INVALID_ENVIRONMENT'],
      [9, 'INVALID_REGEX'],
      [10, 'INVALID_NEW_PATH'],
      [11, 'TARGET_HOST_NOT_ALLOWED'],
    ]);
    expect(body.errors[0]).toEqual({
      index: 1,
      old_path: 'no-slash',
      code: 'INVALID_OLD_PATH',
      message: expect.any(String),
    });
  });

  test('the fields may come in any order, the website last', async () => {
    const { id } = await site({ allowed_target_hosts: ['shop.example.com'] });
    const text = `{"redirects":[{"old_path":"/a","new_path":"https://shop.example.com/x"},{"old_path":"/b","new_path":"https://evil.example/x"},{"old_path":"/c","new_path":"/d","group_id":null}],
      "target_environments":["staging"], "group_id":"late", "dry_run":false, "website_id":"${id}"}`;
    const { status, body } = await bulk(text);
    expect(status).toBe(200);
    expect(body.summary).toEqual({ total_submitted: 3, created: 2, updated: 0, errors: 1 });
    expect(body.errors).toMatchObject([{ index: 1, code: 'TARGET_HOST_NOT_ALLOWED' }]);
    const rows = await list(id);
    expect(rows.map((row: ListedRow) => [row.old_path, row.group_id, row.target_environments]).sort()).toEqual([
      ['/a', 'late', 'staging'],
      ['/c', null, 'staging'],
    ]);
  });

  test('strict fails with 422 and applies nothing if one entry is invalid', async () => {
    const { id } = await site();
    const call = { website_id: id, redirects: [rule('/a'), rule('no'), rule('/b')] };
    const refused = await bulk({ ...call, strict: true });
    expect([refused.status, refused.body.code, refused.body.issues]).toEqual([
      422,
      'VALIDATION_ERROR',
      [expect.objectContaining({ path: 'redirects[1].old_path' })],
    ]);
    expect(refused.body.details).toContain('1 of 3 entries');
    const pattern = { old_path: '/p/(x)', new_path: '/$2', is_regex: true };
    expect((await bulk({ strict: true, ...call, redirects: [rule('/a'), pattern] })).status).toBe(422);
    expect(await list(id)).toEqual([]);
    expect((await bulk({ ...call, redirects: [rule('/a')], strict: true })).body.summary.created).toBe(1);
  });

  test('a dry run counts the redirects that would stay as they are', async () => {
    const { id } = await site();
    const redirects = [rule('/a'), rule('/b'), rule('/gone', '/x')];
    await bulk({ website_id: id, redirects });
    const changed = [rule('/a'), rule('/b', '/other'), rule('/new'), rule('/gone', '/y'), rule('/gone', '/x')];
    expect((await bulk({ website_id: id, redirects: changed, dry_run: true })).body.summary).toEqual({
      total_submitted: 5,
      created: 1,
      updated: 4,
      errors: 0,
      unchanged: 2,
    });
  });

  test('a pattern without room is refused with the limit, as a single create is', async () => {
    const { id } = await site();
    const redirects = Array.from({ length: 54 }, (_, at) => ({ ...rule(`/.*a${at}.*[xy]`), is_regex: true }));
    const { body } = await bulk({ website_id: id, redirects });
    expect(body.errors).toMatchObject([
      { code: 'TOO_MANY_PATTERNS', message: expect.stringContaining('too long on some paths') },
    ]);
  });

  test('dry_run returns the same summary and changes nothing', async () => {
    const { id } = await site();
    await bulk({ website_id: id, redirects: [rule('/there')] });
    const call = { website_id: id, redirects: [rule('/there', '/else'), rule('/new'), rule('bad')] };
    const dry = await bulk({ ...call, dry_run: true });
    const { unchanged, ...summary } = dry.body.summary;
    expect([unchanged, summary]).toEqual([0, { total_submitted: 3, created: 1, updated: 1, errors: 1 }]);
    expect(dry.body.deployments).toEqual([]);
    expect(await list(id)).toMatchObject([{ old_path: '/there', new_path: '/to' }]);
    expect((await bulk(call)).body.summary).toEqual(summary);
  });

  test('gzip and ndjson are accepted; a line that is not JSON is one invalid entry', async () => {
    const { id } = await site();
    const text = Buffer.from(JSON.stringify({ website_id: id, redirects: [rule('/zipped')] }));
    expect((await sendRaw(gzipSync(text), { ...json, 'content-encoding': 'gzip' })).body.summary.created).toBe(1);
    const lines = `${JSON.stringify(rule('/line1'))}\n\nnot json\r\n${JSON.stringify(rule('/line2'))}`;
    const path = `/api/v1/redirects/bulk?website_id=${id}&group_id=lines&target_environments=staging,development`;
    const answer = await fetch(detour.address + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/x-ndjson' },
      body: lines,
    });
    expect(await answer.json()).toMatchObject({
      summary: { total_submitted: 3, created: 2, updated: 0, errors: 1 },
      errors: [{ index: 1, old_path: null, code: 'INVALID_JSON' }],
    });
    expect((await list(id)).at(-1)).toMatchObject({
      old_path: '/line2',
      group_id: 'lines',
      target_environments: 'staging,development',
    });
  });

  test('a CSV file is read by its columns, and errors and strict name its lines', async () => {
    const { id } = await site();
    await bulk({ website_id: id, redirects: [rule('/csv1')] });
    const file = 'From;To;Group\n/csv1;/changed;\n/csv2;/two;own\n\ncsv3;/three;\n';
    const send = async (query: string, body = Buffer.from(file), headers: Record<string, string> = {}) => {
      const path = `/api/v1/redirects/bulk?website_id=${id}${query}`;
      const all = { authorization: `Bearer ${owner.key}`, 'content-type': 'text/csv', ...headers };
      const answer = await fetch(detour.address + path, { method: 'POST', headers: all, body });
      return (await answer.json()) as Record<string, unknown>;
    };
    const summary = { total_submitted: 3, created: 1, updated: 1, errors: 1 };
    expect(await send('&dry_run=true')).toMatchObject({ summary, deployments: [] });
    expect(await send('&strict=true')).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ line: 5 }] });
    expect(await list(id)).toMatchObject([{ old_path: '/csv1', new_path: '/to' }]);
    const answer = await send('&group_id=all&target_environments=staging', gzipSync(file), {
      'content-encoding': 'gzip',
    });
    expect(answer).toMatchObject({ summary, notices: [] });
    expect(answer['errors']).toEqual([
      { line: 5, old_path: 'csv3', code: 'INVALID_OLD_PATH', message: expect.any(String) },
    ]);
    expect(await list(id)).toMatchObject([
      { old_path: '/csv1', new_path: '/changed', target_environments: 'staging' },
      { old_path: '/csv2', new_path: '/two', group_id: 'own', target_environments: 'staging' },
    ]);
    expect(await send('', Buffer.from('From,Colour\n/a,red\n'))).toMatchObject({ code: 'UNKNOWN_COLUMN' });
  });

  test('20,000 entries in a body of many slices are all applied, wherever the slices are cut', async () => {
    const { id } = await site({ auto_deploy: false });
    const redirects = Array.from({ length: 20_000 }, (_, n) => ({
      ...rule(`/n/${n}`, `/to/}{"${n % 7 ? '' : '}]'}`),
      notes: n % 3 ? 'a "quoted\\" }{ ][' : null,
    }));
    const { body } = await bulk({ website_id: id, redirects });
    expect(body.summary).toEqual({ total_submitted: 20_000, created: 20_000, updated: 0, errors: 0 });
    expect(body.batch_info.total_batches).toBe(20);
  });
});

describe('an invalid body applies nothing', () => {
  const good = '{"old_path":"/good","new_path":"/x"}';
  const cases: [name: string, body: (id: string) => string | Buffer, status: number, code: string][] = [
    ['not JSON', () => 'hello', 400, 'INVALID_JSON'],
    ['an array', () => '[]', 400, 'INVALID_JSON'],
    [
      'cut off within an entry',
      (id) => `{"website_id":"${id}","redirects":[${good},{"old_path":"/`,
      400,
      'INVALID_JSON',
    ],
    ['truncated after the entries', (id) => `{"website_id":"${id}","redirects":[${good}]`, 400, 'INVALID_JSON'],
    ['text after the end', (id) => `{"website_id":"${id}","redirects":[${good}]} x`, 400, 'INVALID_JSON'],
    ['a comma before the end', (id) => `{"website_id":"${id}","redirects":[${good},]}`, 400, 'INVALID_JSON'],
    ['no comma between entries', (id) => `{"website_id":"${id}","redirects":[${good}${good}]}`, 400, 'INVALID_JSON'],
    [
      'a field twice',
      (id) => `{"website_id":"${id}","redirects":[${good}],"website_id":"${id}"}`,
      400,
      'DUPLICATE_FIELD',
    ],
    ['an unknown field', (id) => `{"website_id":"${id}","redirects":[${good}],"colour":1}`, 400, 'UNKNOWN_FIELD'],
    ['a website id that is a number', (id) => `{"website_id":${id},"redirects":[${good}]}`, 400, 'INVALID_PARAMETER'],
    ['redirects that are no array', (id) => `{"website_id":"${id}","redirects":{}}`, 400, 'INVALID_PARAMETER'],
    ['no website', () => `{"redirects":[${good}]}`, 400, 'MISSING_PARAMETER'],
    ['no redirects', (id) => `{"website_id":"${id}"}`, 400, 'MISSING_PARAMETER'],
    [
      'dry_run that is a word',
      (id) => `{"website_id":"${id}","redirects":[${good}],"dry_run":"yes"}`,
      400,
      'INVALID_PARAMETER',
    ],
    ['an unknown website', () => `{"website_id":"999999","redirects":[${good}]}`, 404, 'WEBSITE_NOT_FOUND'],
    ['a website id that is a word', () => `{"website_id":"abc","redirects":[${good}]}`, 404, 'WEBSITE_NOT_FOUND'],
    [
      'an unknown environment',
      (id) => `{"website_id":"${id}","redirects":[${good}],"target_environments":["mars"]}`,
      422,
      'VALIDATION_ERROR',
    ],
    [
      'invalid UTF-8',
      (id) =>
        Buffer.concat([
          Buffer.from(`{"website_id":"${id}","redirects":[${good},{"old_path":"/`),
          Buffer.from([0xc3, 0x28]),
          Buffer.from('","new_path":"/x"}]}'),
        ]),
      400,
      'INVALID_JSON',
    ],
    [
      'a string of 10 MB',
      (id) => `{"website_id":"${id}","redirects":[${good},{"old_path":"/${'a'.repeat(10_000_000)}","new_path":"/x"}]}`,
      413,
      'BODY_TOO_LARGE',
    ],
    [
      'a nesting of 100,000',
      (id) => `{"website_id":"${id}","redirects":[${good},${'['.repeat(100_000)}${']'.repeat(100_000)}]}`,
      413,
      'BODY_TOO_LARGE',
    ],
    [
      'an unknown field of 10 MB',
      (id) => `{"website_id":"${id}","redirects":[${good}],"x":"${'}'.repeat(10_000_000)}"}`,
      400,
      'UNKNOWN_FIELD',
    ],
    [
      'half an entry of braces',
      (id) => `{"website_id":"${id}","redirects":[${good},{"old_path":"${'}'.repeat(200_000)}`,
      413,
      'BODY_TOO_LARGE',
    ],
  ];

  test.each(cases)('%s', async (_name, body, status, code) => {
    const { id } = await site();
    const answer = await sendRaw(Buffer.from(body(id)), json);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.details).not.toBe('');
    expect(await list(id)).toEqual([]);
    await noTraces();
  });

  test('a body that is not gzip as declared, and other encodings', async () => {
    const { id } = await site();
    const body = Buffer.from(`{"website_id":"${id}","redirects":[${good}]}`);
    expect((await sendRaw(body, { ...json, 'content-encoding': 'gzip' })).body.code).toBe('INVALID_JSON');
    expect((await sendRaw(gzipSync(body).subarray(0, 30), { ...json, 'content-encoding': 'gzip' })).body.code).toBe(
      'INVALID_JSON',
    );
    expect((await sendRaw(body, { ...json, 'content-encoding': 'br' })).status).toBe(415);
    expect((await sendRaw(body, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await list(id)).toEqual([]);
    await noTraces();
  });
});

test('beyond the limit of the plan nothing is applied', async () => {
  const pro = await detour.account('pro');
  const { body: created } = await pro.call('POST', '/api/websites', { name: 'pro' });
  const redirects = Array.from({ length: 10_001 }, (_, n) => rule(`/n/${n}`));
  const answer = await pro.keyCall('POST', '/api/v1/redirects/bulk', {
    website_id: String(created.website.id),
    redirects,
  });
  expect([answer.status, answer.body.code]).toEqual([403, 'PLAN_LIMIT_EXCEEDED']);
  expect((await pro.call('GET', '/api/redirects')).body.redirects).toEqual([]);
});

test('a client that disconnects leaves nothing behind, and the import has the status failed', async () => {
  const { id } = await site();
  const { hostname, port } = new URL(detour.address);
  const headers = { ...json, authorization: `Bearer ${owner.key}`, 'transfer-encoding': 'chunked' };
  const request = httpRequest({ hostname, port, method: 'POST', path: '/api/v1/redirects/bulk', headers });
  request.on('error', () => {});
  request.write(`{"website_id":"${id}","redirects":[`);
  for (let n = 0; n < 5_000; n++) request.write(`${JSON.stringify(rule(`/n/${n}`))},`);
  await until(async () => {
    const { rows } = await detour.db.execute(sql`select 1 from pg_class where relname like 'import_stage_%'`);
    return rows.length > 0;
  });
  request.destroy();
  await noTraces();
  expect(await list(id)).toEqual([]);
  // The status is written after the tables are gone.
  await until(async () => {
    const { rows } = await detour.db.execute<{ status: string }>(
      sql`select status from imports order by created_at desc limit 1`,
    );
    return rows[0]?.status === 'failed';
  });
});

test('two concurrent imports into one website are both applied, one after the other', async () => {
  const { id } = await site({ auto_deploy: false });
  const half = (name: string) =>
    Array.from({ length: 3_000 }, (_, n) => rule(n % 2 ? `/both/${n}` : `/${name}/${n}`, `/${name}`));
  const [one, two] = await Promise.all([
    bulk({ website_id: id, redirects: half('one') }),
    bulk({ website_id: id, redirects: half('two') }),
  ]);
  expect([one.status, two.status]).toEqual([200, 200]);
  const created = [one.body.summary.created, two.body.summary.created].sort();
  expect(created).toEqual([1_500, 3_000]);
  const rows = await list(id);
  expect(rows).toHaveLength(4_500);
  const winners = new Set(
    rows.filter((row: ListedRow) => row.old_path.startsWith('/both/')).map((row: ListedRow) => row.new_path),
  );
  expect(winners.size).toBe(1);
});

test('after an early error the same connection serves the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(detour.address);
  const post = (body: string | Buffer, more: object = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { ...json, authorization: `Bearer ${owner.key}`, ...more };
      const request = httpRequest(
        { agent, hostname, port, method: 'POST', path: '/api/v1/redirects/bulk', headers },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  const { id } = await site();
  const many = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => rule(`/n/${n}`)));
  expect(await post(`{"website_id":"999999","redirects":${many}}`)).toBe(404);
  expect(await post(JSON.stringify({ website_id: id, redirects: [rule('/a')] }))).toBe(200);
  // More than the buffers of a connection hold.
  const large = gzipSync(`{"website_id":"${id}","redirects":["${randomBytes(8_000_000).toString('base64')}"]}`, {
    level: 1,
  });
  expect(await post(large, { 'content-encoding': 'gzip' })).toBe(413);
  expect(await post(JSON.stringify({ website_id: id, redirects: [rule('/b')] }))).toBe(200);
  agent.destroy();
});

test('a truncated gzip body leaves nothing behind', async () => {
  const { id } = await site();
  const { hostname, port } = new URL(detour.address);
  const headers = {
    ...json,
    authorization: `Bearer ${owner.key}`,
    'content-encoding': 'gzip',
    'transfer-encoding': 'chunked',
  };
  const request = httpRequest({ hostname, port, method: 'POST', path: '/api/v1/redirects/bulk', headers });
  request.on('error', () => {});
  const redirects = Array.from({ length: 30_000 }, (_, n) => rule(`/n/${n}`, `/to/${n * 7919}`));
  const zipped = gzipSync(JSON.stringify({ website_id: id, redirects }));
  request.write(zipped.subarray(0, zipped.length - 100));
  await until(async () => {
    const { rows } = await detour.db.execute(sql`select 1 from pg_class where relname like 'import_stage_%'`);
    return rows.length > 0;
  });
  request.destroy();
  await noTraces();
  expect(await list(id)).toEqual([]);
});
