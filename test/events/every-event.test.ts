/**
 * Every event type in all its variants, made through the real APIs. The exact stored text, which is sent, matches the
 * JSON Schema that the API serves (with an independent validator), and contains nothing that the schema does not
 * describe.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { EVENT_KINDS, type EventKind } from '../../src/vocabulary/kinds.ts';
import { eventBodySchema } from '../../src/events/event-schemas.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, deploy, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const MANY = 10_001;

let detour: TestDetour;
let owner: TestAccount;
let validator: FastifyInstance;

interface Stored {
  id: string;
  event: EventKind;
  body: string;
}

const Served = z.object({
  event_types: z.array(z.object({ event: z.enum(EVENT_KINDS), schema: z.record(z.string(), z.unknown()) })),
});

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  validator = await schemaValidator();
});
afterAll(async () => {
  await validator.close();
  await detour.stop();
});

/** The served schemas in Fastify's Ajv: POST /<event> accepts a valid body. */
async function schemaValidator(): Promise<FastifyInstance> {
  const app = Fastify({
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true },
    },
  });
  const { event_types: types } = Served.parse((await owner.keyCall('GET', '/api/webhooks/event-types')).body);
  for (const { event, schema } of types) {
    // Ajv is set up for an older draft; what our schemas say means the same there.
    const { $schema: _, ...body } = schema;
    app.post(`/${event}`, { schema: { body } }, () => 'fits');
  }
  return app;
}

async function fit(event: EventKind, body: string): Promise<string> {
  const answer = await validator.inject({
    method: 'POST',
    url: `/${event}`,
    headers: { 'content-type': 'application/json' },
    payload: body,
  });
  return answer.body;
}

/** All events of the account after the given one, validated, oldest first. */
async function eventsSince(last: string): Promise<Stored[]> {
  const { rows } = await detour.db.$client.query(
    'select id, event, body from events where account_id = $1 and id > $2 order by id',
    [owner.accountId, last],
  );
  for (const { event, body } of rows as Stored[]) {
    const parsed: unknown = JSON.parse(body);
    expect([await fit(event, body), body]).toEqual(['fits', body]);
    // The validator strips what a schema does not describe.
    expect(eventBodySchema(event).parse(parsed)).toEqual(parsed);
    expect(Object.keys(parsed as object)).toEqual(['event', 'timestamp', 'data']);
  }
  return rows;
}

let last = '';
/** Runs `action` and returns the types and data of the events that it made. */
async function made(work: () => Promise<unknown>): Promise<[EventKind, Record<string, never>][]> {
  await work();
  const events = await eventsSince(last);
  last = events.at(-1)?.id ?? last;
  return events.map(({ event, body }) => [event, JSON.parse(body).data]);
}
const kinds = (events: [EventKind, unknown][]): EventKind[] => events.map(([event]) => event);

async function ok(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  expect(status, text).toBeLessThan(300);
}

/** Reads a file that need not be JSON to its end. */
async function download(path: string): Promise<void> {
  const answer = await fetch(detour.address + path, { headers: { authorization: `Bearer ${owner.key}` } });
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
}

const change = (method: string, path: string, body?: unknown) => ok(owner.call(method, path, body));

test('the validator rejects what is not an event', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  await made(() => addRedirect(owner, site, { old_path: '/a', new_path: '/b' }));
  const { rows } = await detour.db.$client.query(`select body from events where event = 'redirect.created'`);
  const body = JSON.parse(rows[0].body);
  const { old_path: _, ...less } = body.data.redirect;
  expect(await fit('redirect.created', JSON.stringify(body))).toBe('fits');
  for (const wrong of [
    { ...body, event: 'redirect.deleted' },
    { ...body, timestamp: '2030-01-01T00:00:00.000Z' },
    { ...body, data: { redirect: null } },
    { ...body, data: { redirect: less } },
    { ...body, data: { redirect: { ...body.data.redirect, id: 7 } } },
    { ...body, data: { redirect: { ...body.data.redirect, created_at: null } } },
  ])
    expect(await fit('redirect.created', JSON.stringify(wrong))).not.toBe('fits');
  expect(await fit('redirect.created', JSON.stringify({ ...body, added_in_2031: 1 }))).toBe('fits');
});

test('single changes of redirects', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  const ids: number[] = [];
  const created = await made(async () => {
    ids.push(
      await addRedirect(owner, site, { old_path: '/a', new_path: '/b' }),
      await addRedirect(owner, site, {
        old_path: '/ü?k=v',
        new_path: '/b',
        status_code: 308,
        group_id: 'g',
        notes: 'two\nlines "q" \u2028 🙂',
        target_environments: 'production,staging,development',
      }),
      await addRedirect(owner, site, { old_path: '/gone', status_code: 410, target_environments: '' }),
      await addRedirect(owner, site, { old_path: '/x/(.*)', new_path: '/y/$1', is_regex: true }),
    );
  });
  expect(kinds(created)).toEqual(Array(4).fill('redirect.created'));
  const [first, second, gone] = ids;
  const updated = await made(async () => {
    await change('PUT', `/api/redirects/${first}`, { old_path: '/c', new_path: '/d', status_code: 302 });
    await change('PUT', `/api/redirects/${second}`, { group_id: null, notes: null, target_environments: '' });
    await change('PUT', `/api/redirects/${gone}`, { status_code: 301, new_path: '/back' });
    await change('POST', '/api/redirects/bulk-update', {
      redirectIds: ids.slice(0, 2),
      updates: { status_code: 307 },
    });
    await change('POST', '/api/redirects/bulk-update', {
      filter: { website_id: site, q: '/x' },
      updates: { notes: 'n', group_id: 'g2', target_environments: 'staging' },
    });
    // Changes nothing, so it is no event.
    await change('PUT', `/api/redirects/${first}`, { status_code: 307 });
  });
  expect(kinds(updated)).toEqual(Array(6).fill('redirect.updated'));
  expect(updated[0]?.[1]).toMatchObject({ previous: { old_path: '/a', new_path: '/b', status_code: 301 } });
  const deleted = await made(async () => {
    await change('DELETE', `/api/redirects/${first}`);
    await change('DELETE', '/api/redirects/bulk-delete', { redirectIds: [second] });
  });
  expect(kinds(deleted)).toEqual(['redirect.deleted', 'redirect.deleted']);
  const { rows } = await detour.db.$client.query(
    `select id, event from events where redirect_id in ($1, $2) order by id desc`,
    [first, gone],
  );
  const restored = await made(async () => {
    for (const event of ['redirect.deleted', 'redirect.updated']) {
      const event_id = rows.find((row: Stored) => row.event === event).id;
      await change('POST', '/api/redirects/restore', { website_id: site, event_id });
    }
  });
  expect(kinds(restored)).toEqual(['redirect.created', 'redirect.updated']);
});

test('imports, exports, and changes of more than 10,000 by a filter', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  const redirects = Array.from({ length: MANY }, (_, i) => ({
    old_path: `/r${i}`,
    new_path: '/t',
    status_code: 301,
  }));
  const imported = await made(async () => {
    await ok(
      owner.keyCall('POST', '/api/v1/redirects/bulk', {
        website_id: String(site),
        target_environments: [],
        group_id: 'all',
        redirects,
      }),
    );
    await ok(
      owner.keyCall('POST', '/api/v1/redirects/bulk', {
        website_id: String(site),
        redirects: [{ old_path: 'bad', new_path: '/t', status_code: 301 }],
      }),
    );
    await ok(
      owner.keyCall('POST', '/api/v1/redirects/bulk', {
        website_id: String(site),
        dry_run: true,
        redirects: [],
      }),
    );
    const form = new FormData();
    form.set('website_id', String(site));
    form.set('file', new Blob(['old_path,new_path\n/csv,/t\n/csv2,/t\n,\n']), 'redirects.csv');
    await change('POST', '/api/redirects/import', form);
  });
  expect(kinds(imported)).toEqual(Array(3).fill('bulk_import.completed'));
  expect(imported.map(([, data]) => data['import'])).toMatchObject([
    { source: 'api', summary: { total_submitted: MANY, created: MANY, errors: 0 } },
    { source: 'api', summary: { total_submitted: 1, created: 0, errors: 1 } },
    { source: 'csv', summary: { created: 2 } },
  ]);

  const exported = await made(async () => {
    for (const query of ['', '&format=csv&group_id=all', '&format=ndjson&group_id=', '&format=nginx&lossy=true'])
      await download(`/api/v1/redirects/bulk/export?website_id=${site}${query}`);
  });
  expect(exported.map(([event, data]) => [event, data['export']])).toMatchObject([
    ['bulk_export.completed', { format: 'json', filters: {}, total_count: MANY + 2 }],
    ['bulk_export.completed', { format: 'csv', filters: { group_id: 'all' }, total_count: MANY }],
    ['bulk_export.completed', { format: 'ndjson', filters: { group_id: '' }, total_count: 2 }],
    ['bulk_export.completed', { format: 'nginx', filters: {} }],
  ]);

  const bulk = await made(async () => {
    await change('POST', '/api/redirects/bulk-update', {
      filter: { website_id: site, status_code: 301, group: 'all', q: '/r', is_regex: false },
      updates: {
        status_code: 302,
        notes: null,
        group_id: 'new',
        target_environments: 'development,production',
      },
    });
    await change('POST', '/api/redirects/bulk-update', {
      filter: { website_id: site, environment: 'production' },
      updates: { target_environments: '' },
    });
    await change('DELETE', '/api/redirects/bulk-delete', {
      filter: { website_id: site, last_hit_before: '2099-01-01' },
    });
  });
  expect(bulk).toEqual([
    [
      'redirect.updated',
      {
        redirect: null,
        previous: null,
        bulk: {
          filter: { website_id: String(site), status_code: 301, group: 'all', q: '/r', is_regex: false },
          updates: {
            status_code: 302,
            notes: null,
            group_id: 'new',
            target_environments: ['production', 'development'],
          },
          count: MANY,
        },
      },
    ],
    [
      'redirect.updated',
      {
        redirect: null,
        previous: null,
        bulk: {
          filter: { website_id: String(site), environment: 'production' },
          updates: { target_environments: [] },
          count: MANY + 2,
        },
      },
    ],
    [
      'redirect.deleted',
      {
        redirect: null,
        bulk: {
          filter: { website_id: String(site), last_hit_before: '2099-01-01T00:00:00Z' },
          updates: null,
          count: MANY + 2,
        },
      },
    ],
  ]);
});

test('deployments that complete, fail, roll back and promote', async () => {
  const site = await createSite(owner, [], { auto_deploy: false, on_loop: 'fail' });
  const events = await made(async () => {
    await addRedirect(owner, site, { old_path: '/a', new_path: '/b' });
    await deploy(owner, site);
    await addRedirect(owner, site, { old_path: '/c', new_path: '/d' });
    await deploy(owner, site);
    await ok(
      owner.keyCall('POST', '/api/v1/deployments/rollback', {
        website_id: String(site),
        environment: 'production',
        version: 1,
      }),
    );
    await settled(owner, site);
    await change('POST', '/api/deployments/promote', { website_id: site, from: 'production', to: 'staging' });
    await settled(owner, site);
    await ok(
      owner.keyCall('POST', '/api/v1/redirects/bulk', {
        website_id: String(site),
        redirects: [{ old_path: '/b', new_path: '/a', status_code: 301 }],
      }),
    );
    await deploy(owner, site);
  });
  const deployments = events.filter(([event]) => event.startsWith('deployment.'));
  expect(kinds(deployments)).toEqual([
    ...Array(4).fill(['deployment.started', 'deployment.completed']).flat(),
    'deployment.started',
    'deployment.failed',
  ]);
  expect(deployments.at(-1)?.[1]).toMatchObject({
    deployment: { deployed_at: null, error: expect.stringContaining('REDIRECT_LOOP') },
  });
});

test('a check whose targets all have a state', async () => {
  const site = await createSite(owner, ['checked.invalid'], { auto_deploy: false });
  await addRedirect(owner, site, { old_path: '/a', new_path: '/b' });
  const completed = await made(async () => {
    await ok(owner.keyCall('POST', `/api/v1/websites/${site}/checks`, { kind: 'targets' }));
    await until(async () => {
      const { body } = await owner.keyCall('GET', `/api/v1/websites/${site}/checks`);
      return body.checks[0].status === 'completed';
    });
  });
  expect(completed).toMatchObject([
    ['redirect.created', {}],
    ['check.completed', { check: { website_id: String(site), total: 1, states: { error: 1 }, newly_broken: [] } }],
  ]);
});

test('the tests above cover every event type', async () => {
  const { rows } = await detour.db.$client.query('select distinct event from events where account_id = $1', [
    owner.accountId,
  ]);
  expect(new Set(rows.map(({ event }: Stored) => event))).toEqual(new Set(EVENT_KINDS));
});
