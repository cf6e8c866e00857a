/**
 * Expectations from storage to a run, against a running service. Holds the rules of
 * src/expectations/list.ts, read-csv.ts, run.ts, renew-results.ts and write.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/connection/client.ts';
import { createResults, readRunState } from '../../src/deployments/gate/results.ts';
import { dropOrphanedStages } from '../../src/expectations/stage.ts';
import { type Answer, send, startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, ended } from '../support/site.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

let hosts = 0;
const newHost = (): string => `expected-${++hosts}.example`;

const pathOf = (site: number): string => `/api/websites/${site}/expectations`;
const write = (site: number, expectations: object[], method = 'PUT') =>
  owner.call(method, pathOf(site), { expectations });
const list = async (site: number, query = '') => (await owner.call('GET', `${pathOf(site)}${query}`)).body.expectations;

/** Sends a body of another format, by key. */
function upload(method: string, site: number, type: string, body: string | Buffer): Promise<Answer> {
  const isGzip = typeof body !== 'string';
  return fetch(`${detour.address}/api/v1/websites/${site}/expectations`, {
    method,
    headers: {
      authorization: `Bearer ${owner.key}`,
      'content-type': type,
      ...(isGzip && { 'content-encoding': 'gzip' }),
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  }).then(async (response) => {
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  });
}

const entry = (url: string, more: object = {}) => ({ url, status_code: 301, ...more });
const stored = (url: string, more: object = {}) => ({
  ...entry(url),
  environment: 'production',
  location: null,
  final: null,
  result: null,
  result_since: null,
  actual: null,
  ...more,
});

describe('stored expectations', () => {
  test('are replaced, added, updated and deleted, and only what differs counts', async () => {
    const site = await createSite(owner, []);
    const first = await write(site, [
      entry('/a', { location: '/b' }),
      entry('/b'),
      entry('/c', { environment: 'staging' }),
    ]);
    expect([first.status, first.body]).toEqual([200, { created: 3, updated: 0, deleted: 0 }]);
    const second = await write(site, [entry('/%61', { location: '/x' }), entry('/b'), entry('/d', { final: '/e' })]);
    expect(second.body).toEqual({ created: 1, updated: 1, deleted: 1 });
    const added = await write(site, [entry('/b', { status_code: 404 }), entry('/f')], 'POST');
    expect(added.body).toEqual({ created: 1, updated: 1, deleted: 0 });
    expect(await list(site)).toEqual([
      stored('/%61', { location: '/x' }),
      stored('/b', { status_code: 404 }),
      stored('/d', { final: '/e' }),
      stored('/f'),
    ]);
    const deleted = await owner.call('DELETE', `${pathOf(site)}?url=/a`);
    expect([deleted.status, Object.keys(deleted.body)]).toEqual([200, ['message']]);
    const again = await owner.call('DELETE', `${pathOf(site)}?url=/a&environment=production`);
    expect([again.status, again.body.code]).toEqual([404, 'EXPECTATION_NOT_FOUND']);
    const emptied = await owner.call('PUT', `${pathOf(site)}?max_delete=3`, { expectations: [] });
    expect(emptied.body).toEqual({ created: 0, updated: 0, deleted: 3 });
  });

  test('are deleted by a replacement as far as max_delete allows, and by zero bytes never', async () => {
    const site = await createSite(owner, []);
    const all = Array.from({ length: 12 }, (_, at) => entry(`/${at}`));
    await write(site, all);
    const answers: [type: string, body: string, status: number, code: string][] = [
      ['application/json', '{"expectations":[]}', 409, 'TOO_MANY_DELETES'],
      ['text/csv', 'url,status_code\n', 409, 'TOO_MANY_DELETES'],
      ['application/json', JSON.stringify({ expectations: all.slice(0, 1) }), 409, 'TOO_MANY_DELETES'],
      ['application/x-ndjson', '', 422, 'EMPTY_BODY'],
      ['text/csv', '', 422, 'EMPTY_BODY'],
      ['application/json', '', 400, 'MISSING_PARAMETER'],
    ];
    for (const [type, body, status, code] of answers) {
      const answer = await upload('PUT', site, type, body);
      expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ code })]);
    }
    expect((await write(site, all.slice(0, 2))).body).toEqual({ created: 0, updated: 0, deleted: 10 });
  });

  test('are rejected if the blank lines of the body exceed the plan', async () => {
    const site = await createSite(owner, []);
    const { status, body } = await upload('POST', site, 'application/x-ndjson', gzipSync('\n'.repeat(10_001)));
    expect([status, body]).toEqual([422, expect.objectContaining({ code: 'TOO_MANY_ITEMS' })]);
  });

  test('are listed in pages, of one environment or all, and exported as files that change nothing when sent back', async () => {
    const site = await createSite(owner, []);
    const entries = Array.from({ length: 25 }, (_, at) =>
      entry(`/page-${at},"${at}"`, {
        environment: at % 5 === 0 ? 'staging' : 'production',
        ...(at % 2 === 0 ? { location: `/to;${at}` } : { final: `https://other.example/é ${at}` }),
      }),
    );
    await write(site, entries);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await owner.keyCall('GET', `/api/v1/websites/${site}/expectations?limit=10${cursor}`);
      seen.push(...body.expectations.map(({ url }: { url: string }) => url));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(seen.toSorted()).toEqual(entries.map(({ url }) => url).toSorted());
    expect(await list(site, '?environment=staging')).toHaveLength(5);
    expect((await owner.call('GET', `${pathOf(site)}?cursor=abc`)).status).toBe(400);
    for (const [format, type] of [
      ['csv', 'text/csv'],
      ['ndjson', 'application/x-ndjson'],
    ] as const) {
      const headers = { cookie: owner.cookie };
      const file = await fetch(`${detour.address}${pathOf(site)}?format=${format}`, { headers });
      expect(file.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      const back = await upload('PUT', site, type, gzipSync(await file.text()));
      expect([back.status, back.body]).toEqual([200, { created: 0, updated: 0, deleted: 0 }]);
    }
  });

  test('stay as they are if an entry is invalid or repeated', async () => {
    const site = await createSite(owner, []);
    await write(site, [entry('/kept')]);
    const invalid = await write(site, [entry('/a'), entry('/b', { location: '/c', final: '/c' })]);
    expect([invalid.status, invalid.body]).toMatchObject([
      422,
      { code: 'VALIDATION_ERROR', errors: [{ index: 1, url: '/b', field: 'final', code: 'VALIDATION_ERROR' }] },
    ]);
    const repeated = await upload('POST', site, 'text/csv', 'url,status_code\n/a,301\n/b,301\n/%61,404\n');
    expect([repeated.status, repeated.body]).toMatchObject([
      422,
      { code: 'VALIDATION_ERROR', errors: [{ index: 2, url: '/%61', field: 'url' }] },
    ]);
    const many = await write(
      site,
      Array.from({ length: 10_001 }, (_, at) => entry(`/${at}`)),
      'POST',
    );
    expect([many.status, many.body.code]).toEqual([422, 'TOO_MANY_ITEMS']);
    expect((await upload('PUT', site, 'text/plain', '/a')).status).toBe(415);
    expect(await list(site)).toEqual([stored('/kept')]);
    const { rows } = await detour.db.$client.query(
      `select relname from pg_class where relname like 'expectation_stage%'`,
    );
    expect(rows).toEqual([]);
  });

  test('are at most as many as the redirects of the plan', async () => {
    const free = await detour.account('free');
    const site = await createSite(free, []);
    const many = { expectations: Array.from({ length: 10_001 }, (_, at) => entry(`/${at}`)) };
    const answer = await free.call('PUT', pathOf(site), many);
    expect([answer.status, answer.body.code]).toEqual([403, 'PLAN_LIMIT_EXCEEDED']);
  });

  test('go with their website', async () => {
    const site = await createSite(owner, []);
    await write(site, [entry('/a')]);
    expect((await owner.call('DELETE', `/api/websites/${site}`)).status).toBe(200);
    await until(async () => {
      const { rows } = await detour.db.$client.query('select 1 from expectations where website_id = $1', [site]);
      return rows.length === 0;
    });
  });
});

interface Run {
  run: { passed: number; failed: number; duration_ms: number };
  failures: { url: string; expected: object; actual: object }[];
}

const run = async (site: number, body: object): Promise<Run> =>
  (await owner.keyCall('POST', `/api/v1/websites/${site}/expectations/run`, body)).body;

async function deploy(site: number): Promise<void> {
  const body = { website_id: site, environment: 'production' };
  await ended(owner, (await owner.call('POST', '/api/deployments', body)).body.deployment.id);
}

test('a run compares with the live rules, the draft and a version, and counts exactly', async () => {
  const site = await createSite(owner, [newHost()], { auto_deploy: false });
  const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/b' });
  await deploy(site);
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/c' });
  await deploy(site);
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/d' });
  await write(site, [
    entry('/a', { location: '/b' }),
    entry('/none', { status_code: 404 }),
    entry('/a', { environment: 'staging', location: '/never' }),
  ]);
  const failed = (location: string) => ({
    run: { passed: 1, failed: 1 },
    failures: [
      {
        url: '/a',
        expected: { status_code: 301, location: '/b', final: null },
        actual: { status_code: 301, location, final: null, problem: null },
      },
    ],
  });
  expect(await run(site, {})).toMatchObject(failed('/c'));
  expect(await run(site, { against: 'draft' })).toMatchObject(failed('/d'));
  expect(await run(site, { environment: 'production', against: 2 })).toMatchObject(failed('/c'));
  expect(await run(site, { against: 1 })).toMatchObject({ run: { passed: 2, failed: 0 }, failures: [] });
  expect(await run(site, { environment: 'staging' })).toMatchObject({
    run: { passed: 0, failed: 1 },
    failures: [{ actual: { status_code: 404 } }],
  });
  const unknown = await owner.call('POST', `${pathOf(site)}/run`, { against: 3 });
  expect([unknown.status, unknown.body.code]).toEqual([404, 'VERSION_NOT_FOUND']);
});

describe('the last result', () => {
  const results = async (site: number, query = '') =>
    (await list(site, query)).map(({ url, result }: Record<string, unknown>) => [url, result]);
  const versions = async (site: number) =>
    (await detour.db.$client.query(`select key, xmin::text, ctid::text from expectations where website_id = ${site}`))
      .rows;

  /** Keeps the service from running them by itself. */
  const rest = (site: number) =>
    detour.db.$client.query(
      `update website_environments set expectations_rest_until = now() + interval '1 hour' where website_id = ${site}`,
    );
  const outdated = async (site: number) => (await owner.call('GET', pathOf(site))).body.outdated;

  test('is renewed after a deployment without the gate, a write, an option, and the end of a schedule', async () => {
    const site = await createSite(owner, [newHost()], { auto_deploy: false });
    const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/to' });
    // Without the rest after a run, which is long on a busy machine.
    const soon = `update website_environments set expectations_rest_until = null where website_id = ${site}`;
    const becomes = (...expected: unknown[]) =>
      until(async () => {
        await detour.db.$client.query(soon);
        return isDeepStrictEqual(await results(site), expected);
      });
    await write(site, [entry('/a', { location: '/to' })]);
    expect(await results(site)).toEqual([['/a', null]]);
    expect(await outdated(site)).toEqual([]);
    await deploy(site);
    await becomes(['/a', 'holds']);
    await rest(site);
    await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/other' });
    await deploy(site);
    expect([await results(site), await outdated(site)]).toEqual([[['/a', 'holds']], ['production']]);
    await becomes(['/a', 'fails']);
    expect(await outdated(site)).toEqual([]);
    await write(site, [entry('/a', { location: '/other' })]);
    await becomes(['/a', 'holds']);
    await owner.call('PUT', `/api/websites/${site}`, { fallback_url: 'https://next.example' });
    await write(site, [entry('/b', { location: 'https://next.example/b', status_code: 302 })], 'POST');
    await becomes(['/a', 'holds'], ['/b', 'holds']);
    await owner.call('PUT', `/api/websites/${site}`, { fallback_url: null });
    await becomes(['/a', 'holds'], ['/b', 'fails']);
    await owner.call('PUT', `/api/redirects/${id}`, { active_until: new Date(Date.now() + 4_000).toISOString() });
    await deploy(site);
    await becomes(['/a', 'fails'], ['/b', 'fails']);
  }, 90_000);

  test('stays outdated if an expectation is written during the run', async () => {
    const site = await createSite(owner, [newHost()], { auto_deploy: false });
    await addRedirect(owner, site, { old_path: '/a', new_path: '/to' });
    await deploy(site);
    await rest(site);
    for (const urls of [['/a'], ['/a', '/b']]) {
      const state = await readRunState(detour.db, site, 'production');
      await write(
        site,
        urls.map((url) => entry(url)),
      );
      const of = { websiteId: site, environment: 'production', version: 1, ...state } as const;
      await withClient(detour.db, (client) => createResults().store(client, of));
      expect(await outdated(site)).toEqual(['production']);
    }
    await run(site, {});
    expect(await outdated(site)).toEqual([]);
  });

  test('is stored by a run against the live rules only, written if it changes, and lists failing ones first', async () => {
    const site = await createSite(owner, [newHost()], { auto_deploy: false });
    const id = await addRedirect(owner, site, { old_path: '/b', new_path: '/to' });
    await deploy(site);
    await rest(site);
    await write(site, [entry('/a', { status_code: 404 }), entry('/b', { location: '/x' }), entry('/c'), entry('/d')]);
    for (const body of [{ against: 'draft' }, { against: 1 }, { against_environment: 'staging' }])
      await run(site, body);
    expect(await results(site)).toEqual(['/a', '/b', '/c', '/d'].map((url) => [url, null]));
    await run(site, {});
    expect(await list(site)).toMatchObject([
      { url: '/a', result: 'holds', result_since: expect.any(String), actual: null },
      { url: '/b', result: 'fails', actual: { status_code: 301, location: '/to', final: null, problem: null } },
      { url: '/c', result: 'fails', actual: { status_code: 404 } },
      { url: '/d', result: 'fails' },
    ]);
    await detour.db.$client.query(
      `update expectations set result_since = result_since - interval '1 day' where website_id = ${site}`,
    );
    const before = await versions(site);
    const [holding, failing] = await list(site);
    await run(site, {});
    expect(await versions(site)).toEqual(before);

    await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/y' });
    await deploy(site);
    await run(site, {});
    const [, other] = await list(site);
    expect(other).toMatchObject({ result_since: failing.result_since, actual: { location: '/y' } });
    await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/x' });
    await deploy(site);
    await run(site, {});
    const [same, changed] = await list(site);
    expect([same, changed.result]).toEqual([holding, 'holds']);
    expect(changed.result_since > failing.result_since).toBe(true);

    await write(site, [entry('/c', { status_code: 302 })], 'POST');
    expect((await list(site))[2]).toEqual(stored('/c', { status_code: 302 }));
    const pages: string[] = [];
    let cursor = '';
    do {
      const { body } = await owner.keyCall('GET', `/api/v1${pathOf(site).slice(4)}?sort=result&limit=1${cursor}`);
      pages.push(body.expectations[0].url);
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(pages).toEqual(['/d', '/a', '/b', '/c']);
    expect(await results(site, '?result=fails')).toEqual([['/d', 'fails']]);
    expect(await results(site, '?result=none&sort=result')).toEqual([['/c', null]]);
    expect(await results(site, '?result=holds&q=B')).toEqual([['/b', 'holds']]);
    expect(await results(site, '?q=%25')).toEqual([]);
    const file = await owner.call('GET', `${pathOf(site)}?format=csv&q=/b`);
    expect(file).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAMETER', details: expect.stringMatching(/^q: /) },
    });
    const first = await owner.call('GET', `${pathOf(site)}?q=/&limit=1`);
    const wrong = await owner.call('GET', `${pathOf(site)}?limit=1&cursor=${first.body.next_cursor}`);
    expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
  });

  test('is stored by the gate of a deployment that goes live, and a list can be sent back', async () => {
    const gated = { auto_deploy: false, gated_environments: ['production'] };
    const site = await createSite(owner, [newHost()], gated);
    await addRedirect(owner, site, { old_path: '/b', new_path: '/to' });
    await write(site, [entry('/b', { location: '/x' }), entry('/b', { environment: 'staging' })]);
    await deploy(site);
    expect(await results(site, '?environment=production')).toEqual([['/b', null]]);
    await write(site, [entry('/b', { location: '/to' })], 'POST');
    await deploy(site);
    // It is stored right after the deployment is completed.
    await until(async () => (await list(site, '?environment=production'))[0].result === 'holds');
    expect(await results(site, '?environment=staging')).toEqual([['/b', null]]);
    const back = await write(site, await list(site));
    expect(back.body).toEqual({ created: 0, updated: 0, deleted: 0 });
    expect(await results(site, '?environment=production')).toEqual([['/b', 'holds']]);
  });
});

test('the gated environments are an option of the website, in the canonical order and in the audit log', async () => {
  const site = await createSite(owner, []);
  const put = (gated_environments: unknown) => owner.call('PUT', `/api/websites/${site}`, { gated_environments });
  const { body } = await put(['staging', 'production']);
  expect(body.website.gated_environments).toEqual(['production', 'staging']);
  expect((await put(['staging', 'staging'])).body.issues).toMatchObject([{ code: 'INVALID_ENVIRONMENT' }]);
  expect((await put(['live'])).status).toBe(422);
  const { entries } = (await owner.call('GET', '/api/audit?limit=1')).body;
  expect(entries).toMatchObject([
    { action: 'website.updated', details: { after: { gated_environments: ['production', 'staging'] } } },
  ]);
});

test('the staged entries of a crashed process are dropped, and those of others stay', async () => {
  const { rows: alive } = await detour.db.$client.query('select max(id) as id from instances');
  const tables = [`expectation_stage_${alive[0].id}_test`, 'expectation_stage_999999_test'];
  for (const table of tables) await detour.db.$client.query(`create unlogged table ${table} ()`);
  await dropOrphanedStages(detour.db);
  const { rows } = await detour.db.$client.query(`select relname from pg_class where relname = any($1)`, [tables]);
  expect(rows).toEqual([{ relname: tables[0] }]);
  await detour.db.$client.query(`drop table ${tables[0]}`);
});

test('viewers and read keys list and run expectations, and change none', async () => {
  const site = await createSite(owner, []);
  const { api_key } = (await owner.call('POST', '/api/keys', { name: 'read', scope: 'read' })).body;
  const byKey = (method: string, path: string, body?: object) =>
    send(detour.address, method, `/api/v1/websites/${site}/expectations${path}`, body, {
      authorization: `Bearer ${api_key.key}`,
    });
  expect((await byKey('GET', '')).status).toBe(200);
  expect((await byKey('POST', '/run', {})).status).toBe(200);
  for (const method of ['PUT', 'POST']) expect((await byKey(method, '', { expectations: [] })).status).toBe(403);
  expect((await byKey('DELETE', '?url=/a')).status).toBe(403);
});
