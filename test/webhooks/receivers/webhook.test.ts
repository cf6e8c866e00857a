/**
 * /api/webhooks as specified: registering, reading, changing and deleting receivers. Holds the rules of
 * src/webhooks/receivers/create.ts, update.ts and rotate-secret.ts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CallOptions, type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';
import { expectStatus } from '../../support/expect-status.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** An address is written as a number, so that no name server is asked; nothing is sent to it. */
const valid = { name: 'deploys', url: 'https://8.8.8.8/in', events: ['deployment.completed'] };

let detour: TestApp;
let owner: TestOwner;
let key: string;

beforeAll(async () => {
  detour = await startTestApp();
  await asNewAccount();
});
// A minute of its own for every test, or the rate limit would answer.
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

const call = (method: Method, path: string, body?: unknown, options: CallOptions = {}) =>
  detour.call(method, `/api/webhooks${path}`, { key, ...(body !== undefined && { body }), ...options });

/** From here on another account asks, which has no webhooks yet. */
async function asNewAccount(): Promise<void> {
  owner = await detour.account();
  ({ key } = await owner.key());
}

async function created(fields: Record<string, unknown> = {}) {
  const answer = await call('POST', '', { ...valid, ...fields });
  expectStatus(answer, 201);
  return answer.json().webhook;
}

describe('creating', () => {
  test('answers 201 with the fields of the specification first, in its order, and a secret of 32 bytes', async () => {
    const answer = await call('POST', '', valid);
    expect(answer.statusCode).toBe(201);
    expect(Object.keys(answer.json())).toEqual(['webhook']);
    const { webhook } = answer.json();
    expect(Object.keys(webhook).slice(0, 7)).toEqual([
      'id',
      'name',
      'url',
      'events',
      'secret',
      'is_active',
      'created_at',
    ]);
    expect(webhook).toMatchObject({ ...valid, is_active: true, pending: 0, fail_streak: 0 });
    expect(webhook.id).toMatch(/^wh_[0-9A-Za-z]{22}$/);
    expect(webhook.created_at).toMatch(TIME);
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(webhook.secret.slice(6), 'base64')).toHaveLength(32);
  });

  test('never makes the same secret or id twice', async () => {
    const [one, two] = [await created(), await created()];
    expect(one.secret).not.toBe(two.secret);
    expect(one.id).not.toBe(two.id);
  });

  test('accepts all nine event types, and trims names', async () => {
    const { webhook } = (
      await call('POST', '', {
        name: '  ü 🙂 ',
        url: 'http://8.8.8.8',
        events: (await eventKinds()).toReversed(),
      })
    ).json();
    expect(webhook).toMatchObject({ name: 'ü 🙂', url: 'http://8.8.8.8' });
    expect(webhook.events).toHaveLength(9);
  });

  test('a webhook can be made switched off', async () => {
    const webhook = await created({ is_active: false });
    expect(webhook).toMatchObject({ is_active: false, deactivated_reason: 'user' });
    expect(webhook.deactivated_at).toMatch(TIME);
  });

  test('read-only fields of the resource are ignored', async () => {
    const webhook = await created({ id: 'wh_mine', secret: 'whsec_mine', created_at: 'x', fail_streak: 7 });
    expect(webhook.id).not.toBe('wh_mine');
    expect(webhook.secret).not.toBe('whsec_mine');
    expect(webhook.fail_streak).toBe(0);
  });

  test('a 51st webhook of an account is 422 TOO_MANY_ITEMS, also when two are asked for at once, and one deleted makes room', async () => {
    await asNewAccount();
    for (let i = 0; i < 49; i++) await created();
    const both = await Promise.all([call('POST', '', valid), call('POST', '', valid)]);
    expect(both.map((answer) => answer.statusCode).toSorted()).toEqual([201, 422]);
    const refused = both.find((answer) => answer.statusCode === 422)?.json();
    expect(refused).toMatchObject({ code: 'TOO_MANY_ITEMS', details: expect.stringContaining('50') });
    const { webhooks } = (await call('GET', '')).json();
    expect(webhooks).toHaveLength(50);
    await call('DELETE', `/${webhooks[0].id}`);
    await created();
  });
});

describe('rejected, naming the field, with nothing created', () => {
  beforeAll(asNewAccount);
  const cases: [what: string, change: Record<string, unknown>, status: number, code: string, path: string][] = [
    ['no name', { name: undefined }, 400, 'MISSING_PARAMETER', 'name'],
    ['no url', { url: undefined }, 400, 'MISSING_PARAMETER', 'url'],
    ['no events', { events: undefined }, 400, 'MISSING_PARAMETER', 'events'],
    ['a name that is a number', { name: 5 }, 400, 'INVALID_PARAMETER', 'name'],
    ['a url that is null', { url: null }, 400, 'INVALID_PARAMETER', 'url'],
    ['events that are a text', { events: 'redirect.created' }, 400, 'INVALID_PARAMETER', 'events'],
    ['an event that is a number', { events: [1] }, 400, 'INVALID_PARAMETER', 'events[0]'],
    ['an unknown field', { active: true }, 400, 'UNKNOWN_FIELD', 'active'],
    ['an empty name', { name: '' }, 422, 'VALIDATION_ERROR', 'name'],
    ['a name of white space', { name: ' \u00a0 ' }, 422, 'VALIDATION_ERROR', 'name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 422, 'VALIDATION_ERROR', 'name'],
    ['a name with a control character', { name: 'a\u0007b' }, 422, 'VALIDATION_ERROR', 'name'],
    ['no events at all', { events: [] }, 422, 'VALIDATION_ERROR', 'events'],
    ['an unknown event', { events: ['redirect.seen'] }, 422, 'VALIDATION_ERROR', 'events[0]'],
    ['an event of another case', { events: ['Redirect.Created'] }, 422, 'VALIDATION_ERROR', 'events[0]'],
    ['an event twice', { events: ['redirect.created', 'redirect.created'] }, 422, 'VALIDATION_ERROR', 'events'],
    ['ten events', { events: Array(10).fill('redirect.created') }, 422, 'TOO_MANY_ITEMS', 'events'],
    ['an empty url', { url: '' }, 422, 'VALIDATION_ERROR', 'url'],
    ['a url without scheme', { url: 'hooks.example.com' }, 422, 'VALIDATION_ERROR', 'url'],
    ['a url of another scheme', { url: 'ftp://hooks.example.com/' }, 422, 'VALIDATION_ERROR', 'url'],
    ['a url with a user', { url: 'https://me@hooks.example.com/' }, 422, 'VALIDATION_ERROR', 'url'],
    ['a url with a fragment', { url: 'https://hooks.example.com/#a' }, 422, 'VALIDATION_ERROR', 'url'],
    ['a url that is too long', { url: `https://a.example/${'x'.repeat(2_048)}` }, 422, 'VALIDATION_ERROR', 'url'],
    ['the machine itself', { url: 'http://127.0.0.1:5432/' }, 422, 'URL_NOT_ALLOWED', 'url'],
    ['the machine itself, in hex', { url: 'http://0x7f000001/' }, 422, 'URL_NOT_ALLOWED', 'url'],
    ['a private network', { url: 'http://10.1.2.3/' }, 422, 'URL_NOT_ALLOWED', 'url'],
    ['the metadata service', { url: 'http://169.254.169.254/latest/' }, 422, 'URL_NOT_ALLOWED', 'url'],
  ];
  test.each(cases)('%s', async (_what, change, status, code, path) => {
    const answer = await call('POST', '', { ...valid, ...change });
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect(answer.json().issues).toEqual(expect.arrayContaining([expect.objectContaining({ path })]));
    expect(answer.json().details).toContain(path);
    expect((await call('GET', '')).json()).toEqual({ webhooks: [] });
  });

  test('several broken fields are all named', async () => {
    const answer = await call('POST', '', { name: '', url: valid.url, events: ['x'] });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().issues.map((issue: { path: string }) => issue.path)).toEqual(['name', 'events[0]']);
  });
});

describe('reading', () => {
  test('a webhook is shown with its health and never with its secret', async () => {
    const { secret, ...shown } = await created();
    const answer = await call('GET', `/${shown.id}`);
    expect(answer.json()).toEqual({ webhook: shown });
    expect(answer.body).not.toContain(secret);
    expect(shown).toEqual({
      id: shown.id,
      ...valid,
      is_active: true,
      created_at: expect.stringMatching(TIME),
      updated_at: shown.created_at,
      pending: 0,
      fail_streak: 0,
      failing_since: null,
      last_success_at: null,
      paused_until: null,
      deactivated_at: null,
      deactivated_reason: null,
      previous_secret_until: null,
    });
  });

  test('the list is of the account alone, newest first', async () => {
    await created({ name: 'of another account' });
    await asNewAccount();
    const first = await created({ name: 'first' });
    detour.clock.advance(1_000);
    const second = await created({ name: 'second' });
    const answer = await call('GET', '');
    expect(answer.json().webhooks.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    expect(answer.body).not.toContain('whsec_');
  });

  test('health as the attempts left it, and what waits', async () => {
    const { id } = await created();
    await detour.database.db.$client.query(
      `update webhooks set fail_streak = 4, failing_since = '2030-05-01T00:00:00.7Z', paused_until = '2099-01-01Z',
       last_success_at = '2030-04-30T23:59:59Z', is_active = false, deactivated_at = '2030-05-09T00:00:00Z', deactivated_reason = 'failing'
       where id = $1`,
      [id],
    );
    await queue(id, 'pending', 3);
    await queue(id, 'sending', 2);
    await queue(id, 'delivered', 4);
    expect((await call('GET', `/${id}`)).json().webhook).toMatchObject({
      pending: 5,
      fail_streak: 4,
      failing_since: '2030-05-01T00:00:00Z',
      paused_until: '2099-01-01T00:00:00Z',
      last_success_at: '2030-04-30T23:59:59Z',
      is_active: false,
      deactivated_at: '2030-05-09T00:00:00Z',
      deactivated_reason: 'failing',
    });
  });

  test('a pause that is over is not shown', async () => {
    const { id } = await created();
    await detour.database.db.$client.query(
      `update webhooks set paused_until = '2030-01-01Z', previous_secret_until = '2030-01-01Z' where id = $1`,
      [id],
    );
    expect((await call('GET', `/${id}`)).json().webhook).toMatchObject({
      paused_until: null,
      previous_secret_until: null,
    });
  });
});

async function queue(webhookId: string, state: string, count: number): Promise<void> {
  await detour.database.db.$client.query(
    `insert into deliveries (account_id, webhook_id, event_day, event_id, event, state, due_at, created_at)
     select 0, $1, '2030-05-15', 'e' || n, 'redirect.created', $2, '2030-05-15', '2030-05-15' from generate_series(1, $3) n`,
    [webhookId, state, count],
  );
}

async function eventKinds(): Promise<string[]> {
  const { event_types: types } = (await call('GET', '/event-types')).json();
  return types.map(({ event }: { event: string }) => event);
}

test('the kinds of event are answered with a JSON Schema each', async () => {
  const { event_types: types } = (await call('GET', '/event-types')).json();
  expect(types).toHaveLength(9);
  expect(types[0]).toMatchObject({
    event: 'redirect.created',
    description: 'a redirect was added',
    schema: { type: 'object', properties: { event: { const: 'redirect.created' } } },
  });
});

describe('changing', () => {
  test('changes what is named and answers the whole, without secret', async () => {
    const { secret, ...before } = await created();
    detour.clock.advance(5_000);
    const answer = await call('PUT', `/${before.id}`, { name: 'other', events: ['redirect.deleted'] });
    const { webhook } = answer.json();
    expect([answer.statusCode, webhook]).toEqual([
      200,
      { ...before, name: 'other', events: ['redirect.deleted'], updated_at: webhook.updated_at },
    ]);
    expect(webhook.updated_at > before.updated_at).toBe(true);
    expect(answer.body).not.toContain(secret);
    expect((await call('GET', `/${before.id}`)).json().webhook).toEqual(webhook);
  });

  test('what was read can be sent back whole, and then nothing changes, updated_at included', async () => {
    const { secret: _, ...before } = await created();
    detour.clock.advance(5_000);
    expect((await call('PUT', `/${before.id}`, before)).json()).toEqual({ webhook: before });
  });

  test.each([
    ['nothing', {}, 400, 'MISSING_PARAMETER'],
    ['only what is read-only', { id: 'wh_x', secret: 'x', pending: 3 }, 400, 'MISSING_PARAMETER'],
    ['an unknown field', { name: 'x', disabled: true }, 400, 'UNKNOWN_FIELD'],
    ['is_active as a text', { is_active: 'true' }, 400, 'INVALID_PARAMETER'],
    ['a name that is null', { name: null }, 400, 'INVALID_PARAMETER'],
    ['no events', { events: [] }, 422, 'VALIDATION_ERROR'],
    ['an address that is not allowed', { url: 'http://[::1]/', name: 'x' }, 422, 'URL_NOT_ALLOWED'],
  ])('%s is rejected and changes nothing', async (_what, change, status, code) => {
    const { secret: _, ...before } = await created();
    detour.clock.advance(5_000);
    const answer = await call('PUT', `/${before.id}`, change);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect((await call('GET', `/${before.id}`)).json().webhook).toEqual(before);
  });

  test('switching off says since when and by whom; switching on forgets every failure', async () => {
    const { id } = await created();
    await detour.database.db.$client.query(
      `update webhooks set fail_streak = 9, failing_since = '2030-05-01Z', exhausted = true, paused_until = '2099-01-01Z' where id = $1`,
      [id],
    );
    const off = (await call('PUT', `/${id}`, { is_active: false })).json().webhook;
    expect(off).toMatchObject({ is_active: false, deactivated_reason: 'user', fail_streak: 9 });
    expect(off.deactivated_at).toBe(off.updated_at);
    const on = (await call('PUT', `/${id}`, { is_active: true })).json().webhook;
    expect(on).toMatchObject({
      is_active: true,
      deactivated_at: null,
      deactivated_reason: null,
      fail_streak: 0,
      failing_since: null,
      paused_until: null,
    });
    const { rows } = await detour.database.db.$client.query('select exhausted from webhooks where id = $1', [id]);
    expect(rows).toEqual([{ exhausted: false }]);
  });

  test.each([
    ['switching on again', [{ is_active: false }, { is_active: true }]],
    ['a new address', [{ url: 'https://8.8.4.4/hooks' }]],
  ])('%s makes due at once what waits for a later attempt, and nothing else', async (_what, changes) => {
    const { id } = await created();
    const other = await created();
    const queue = (webhook: string, event: string, state: string) =>
      detour.database.db.$client.query(
        `insert into deliveries (account_id, webhook_id, event_day, event_id, event, state, failures, due_at, created_at)
         select account_id, id, '2030-05-01', $2, 'redirect.created', $3, 4, '2099-01-01Z', '2030-05-01Z' from webhooks where id = $1`,
        [webhook, event, state],
      );
    await queue(id, 'waits', 'pending');
    await queue(id, 'over', 'delivered');
    await queue(other.id, 'of another', 'pending');
    for (const change of changes) expect((await call('PUT', `/${id}`, change)).statusCode).toBe(200);
    const { rows } = await detour.database.db.$client.query(
      `select event_id, failures, due_at = '2099-01-01Z' as later from deliveries where webhook_id in ($1, $2) order by event_id`,
      [id, other.id],
    );
    expect(rows).toEqual([
      { event_id: 'of another', failures: 4, later: true },
      { event_id: 'over', failures: 4, later: true },
      { event_id: 'waits', failures: 4, later: false },
    ]);
  });

  test('a new address is not held to what the old one answered', async () => {
    const { id } = await created();
    await detour.database.db.$client.query(
      `update webhooks set fail_streak = 9, failing_since = '2030-05-01Z', paused_until = '2099-01-01Z' where id = $1`,
      [id],
    );
    const { webhook } = (await call('PUT', `/${id}`, { url: 'https://8.8.4.4/' })).json();
    expect(webhook).toMatchObject({ url: 'https://8.8.4.4/', fail_streak: 0, paused_until: null });
  });
});

describe('deleting', () => {
  test('ends it: 404 from then on, what waits is canceled, what was sent stays as it was', async () => {
    const { id } = await created();
    await queue(id, 'pending', 5_001);
    await queue(id, 'delivered', 2);
    const other = await created();
    await queue(other.id, 'pending', 1);
    const answer = await call('DELETE', `/${id}`);
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Webhook deleted' }]);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
    ] as const) {
      expect((await call(method, `/${id}${path}`)).json().code).toBe('WEBHOOK_NOT_FOUND');
    }
    const { rows } = await detour.database.db.$client.query(
      'select webhook_id = $1 as deleted, state, count(*)::int as n from deliveries where webhook_id in ($1, $2) group by 1, 2 order by 1, 2',
      [id, other.id],
    );
    expect(rows).toEqual([
      { deleted: false, state: 'pending', n: 1 },
      { deleted: true, state: 'canceled', n: 5_001 },
      { deleted: true, state: 'delivered', n: 2 },
    ]);
  });
});

describe('rotating the secret', () => {
  test('answers a new secret once and tells until when the old one counts', async () => {
    const before = await created();
    const answer = await call('POST', `/${before.id}/rotate-secret`, { overlap_seconds: 3_600 });
    const { webhook } = answer.json();
    expect(answer.statusCode).toBe(200);
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook.secret).not.toBe(before.secret);
    const until = Date.parse(webhook.previous_secret_until) - detour.clock.now().getTime();
    expect(until).toBeGreaterThan(3_599_000 - 1_000);
    expect(until).toBeLessThanOrEqual(3_600_000);
    const read = await call('GET', `/${before.id}`);
    expect(read.body).not.toContain('whsec_');
    expect(read.json().webhook.previous_secret_until).toBe(webhook.previous_secret_until);
  });

  test.each([
    ['a day without body', undefined, 86_400],
    ['a day with an empty object', {}, 86_400],
    ['a week at most', { overlap_seconds: 604_800 }, 604_800],
  ])('the overlap is %s', async (_what, body, seconds) => {
    const { id } = await created();
    const { webhook } = (await call('POST', `/${id}/rotate-secret`, body)).json();
    const expected = new Date(detour.clock.now().getTime() + seconds * 1_000);
    expect(webhook.previous_secret_until).toBe(`${expected.toISOString().slice(0, 19)}Z`);
  });

  test('with an overlap of 0 the old secret is gone at once', async () => {
    const { id } = await created();
    await call('POST', `/${id}/rotate-secret`, {});
    const { webhook } = (await call('POST', `/${id}/rotate-secret`, { overlap_seconds: 0 })).json();
    expect(webhook.previous_secret_until).toBeNull();
    const { rows } = await detour.database.db.$client.query(
      'select previous_secret, previous_secret_until from webhooks where id = $1',
      [id],
    );
    expect(rows).toEqual([{ previous_secret: null, previous_secret_until: null }]);
  });

  test('of a webhook whose secret does not open any more keeps nothing of it', async () => {
    const { id } = await created();
    await detour.database.db.$client.query(`update webhooks set secret = 'sealed elsewhere' where id = $1`, [id]);
    const { webhook } = (await call('POST', `/${id}/rotate-secret`, {})).json();
    expect(webhook.secret).toMatch(/^whsec_/);
    expect(webhook.previous_secret_until).toBeNull();
  });

  test.each([
    [-1, 422],
    [604_801, 422],
    [1.5, 400],
    ['60', 400],
    [null, 400],
  ])('an overlap of %j is rejected', async (overlap, status) => {
    const { id } = await created();
    const answer = await call('POST', `/${id}/rotate-secret`, { overlap_seconds: overlap });
    expect(answer.statusCode).toBe(status);
    expect(answer.json().details).toContain('overlap_seconds');
  });
});
