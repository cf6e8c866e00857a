/**
 * Access to webhooks by role, credential and plan. Every error has the form of surface A. Holds the rules of
 * src/surfaces/key-api/webhooks/webhook-plugin.ts.
 */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setPlan } from '../../../src/accounts/account.ts';
import type { Plan } from '../../../src/vocabulary/plan.ts';
import { type CallOptions, type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';

const valid = { name: 'deploys', url: 'https://8.8.8.8/in', events: ['deployment.completed'] };
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

let detour: TestApp;
let owner: TestOwner;
let writeKey: string;
let readKey: string;
let cookie: string;
let webhook: string;
let delivery: string;

beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account('business');
  writeKey = (await owner.key()).key;
  readKey = (await owner.key({ scope: 'read' })).key;
  cookie = await detour.cookieOf(owner.email);
  webhook = await newWebhook();
  delivery = await newDelivery(webhook);
});
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

async function newWebhook(): Promise<string> {
  const answer = await detour.call('POST', '/api/webhooks', { key: writeKey, body: valid });
  expect(answer.statusCode).toBe(201);
  return answer.json().webhook.id;
}

async function newDelivery(webhookId: string): Promise<string> {
  const { rows } = await detour.database.db.$client.query(
    `insert into deliveries (account_id, webhook_id, event_day, event_id, event, state, due_at, created_at, test_body)
     values ($1, $2, '2030-05-15', 'e', 'redirect.created', 'delivered', '2030-05-15', '2030-05-15', '{}') returning id`,
    [owner.actor.accountId, webhookId],
  );
  return `whd_${rows[0].id}`;
}

const reads = (): [Method, string][] => [
  ['GET', ''],
  ['GET', '/event-types'],
  ['GET', `/${webhook}`],
  ['GET', `/${webhook}/deliveries`],
  ['GET', `/${webhook}/deliveries/${delivery}`],
];
/** Routes that create, change or send. Without the route that sends a test, because nothing sends here. */
const changes = (): [Method, string, unknown][] => [
  ['POST', '', valid],
  ['PUT', `/${webhook}`, { name: 'new' }],
  ['POST', `/${webhook}/rotate-secret`, {}],
  ['POST', `/${webhook}/deliveries/${delivery}/redeliver`, undefined],
  ['POST', `/${webhook}/replay`, { since: '2030-01-01T00:00:00Z' }],
];
const sends = (): [Method, string, unknown][] => [...changes(), ['POST', `/${webhook}/test`, {}]];

const ask = (method: Method, path: string, body: unknown, options: CallOptions) =>
  detour.call(method, `/api/webhooks${path}`, { ...(body !== undefined && { body }), ...options });

async function codes(calls: [Method, string, unknown?][], options: CallOptions): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [method, path, body] of calls) found.push(codeOf(await ask(method, path, body, options)));
  return [...new Set(found)];
}

/** The code of an error, which is in surface A's form, or the status of a success. */
function codeOf(answer: LightMyRequestResponse): unknown {
  for (const name of ['limit', 'remaining', 'reset']) expect(answer.headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/);
  if (answer.statusCode < 300) return 'ok';
  expect(answer.json()).toMatchObject({
    error: expect.any(String),
    details: expect.any(String),
    timestamp: expect.stringMatching(/Z$/),
  });
  return answer.json().code;
}

describe('credentials', () => {
  test('a write key reads and changes; a read key reads and changes nothing', async () => {
    expect(await codes(reads(), { key: writeKey })).toEqual(['ok']);
    expect(await codes(changes(), { key: writeKey })).toEqual(['ok']);
    expect(await codes(reads(), { key: readKey })).toEqual(['ok']);
    expect(await codes([...sends(), ['DELETE', `/${webhook}`]], { key: readKey })).toEqual(['INSUFFICIENT_SCOPE']);
    expect(await codes(reads(), { key: writeKey })).toEqual(['ok']);
  });

  test('the session cookie counts from pages of this service and nowhere else', async () => {
    expect(await codes(reads(), { cookie, headers: sameOrigin })).toEqual(['ok']);
    expect(await codes(changes(), { cookie, headers: sameOrigin })).toEqual(['ok']);
    for (const site of ['none', 'same-site', 'cross-site', undefined]) {
      const headers = site === undefined ? {} : { 'sec-fetch-site': site };
      expect(await codes([...reads(), ...sends()], { cookie, headers })).toEqual(['UNAUTHORIZED']);
    }
  });

  test('without a credential every address is 401 with a challenge', async () => {
    for (const [method, path] of [...reads(), ...sends()]) {
      const answer = await ask(method, path, undefined, {});
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="Detour"']);
    }
  });

  test.each(['editor', 'viewer'] as const)('for an %s webhooks are closed, to read too', async (role) => {
    const user = await detour.cookieOf((await owner.user(role)).email);
    const all = [...reads(), ...sends(), ['DELETE', `/${webhook}`] as [Method, string]];
    expect(await codes(all, { cookie: user, headers: sameOrigin })).toEqual(['INSUFFICIENT_ROLE']);
  });
});

describe('plans', () => {
  /** The same account after its plan was changed. */
  async function on<T>(plan: Plan, work: () => Promise<T>): Promise<T> {
    await setPlan(detour.database.db, owner.actor, plan);
    try {
      return await work();
    } finally {
      await setPlan(detour.database.db, owner.actor, 'business');
    }
  }

  test('after a downgrade to pro webhooks can be listed, read and deleted, and nothing else', () =>
    on('business', async () => {
      const doomed = await newWebhook();
      await on('pro', async () => {
        expect(await codes(reads(), { key: readKey })).toEqual(['ok']);
        const refused = await ask('POST', '', valid, { key: writeKey });
        expect([refused.statusCode, refused.json()]).toMatchObject([
          403,
          { code: 'PLAN_REQUIRED', details: expect.stringContaining('business') },
        ]);
        expect(await codes(sends(), { key: writeKey })).toEqual(['PLAN_REQUIRED']);
        expect(await codes(sends(), { cookie, headers: sameOrigin })).toEqual(['PLAN_REQUIRED']);
        expect(await codes([['DELETE', `/${doomed}`]], { key: writeKey })).toEqual(['ok']);
      });
    }));

  test('on free a key opens nothing, and the owner still lists and deletes in the dashboard', async () => {
    const doomed = await newWebhook();
    await on('free', async () => {
      expect(await codes([...reads(), ...sends(), ['DELETE', `/${doomed}`]], { key: writeKey })).toEqual([
        'PLAN_REQUIRED',
      ]);
      expect(await codes(reads(), { cookie, headers: sameOrigin })).toEqual(['ok']);
      expect(await codes(sends(), { cookie, headers: sameOrigin })).toEqual(['PLAN_REQUIRED']);
      const doom: [Method, string][] = [['DELETE', `/${doomed}`]];
      expect(await codes(doom, { cookie, headers: sameOrigin })).toEqual(['ok']);
    });
  });
});

describe('another account', () => {
  test('meets 404 wherever an id is named, exactly as for an id that never was', async () => {
    const { key } = await (await detour.account()).key();
    const named = [...reads(), ...sends(), ['DELETE', `/${webhook}`] as [Method, string]].filter(([, path]) =>
      path.includes(webhook),
    );
    expect(named).toHaveLength(9);
    for (const [method, path, body] of named as [Method, string, unknown][]) {
      const theirs = await ask(method, path, body, { key });
      const never = await ask(method, path.replace(webhook, 'wh_never'), body, { key });
      expect([theirs.statusCode, theirs.json().code]).toEqual([404, 'WEBHOOK_NOT_FOUND']);
      expect(theirs.body.replaceAll(webhook, 'wh_never')).toBe(never.body);
    }
  });

  test('a delivery is found through its own webhook alone', async () => {
    const other = await newWebhook();
    const paths: [Method, string][] = [
      ['GET', `/${other}/deliveries/${delivery}`],
      ['POST', `/${other}/deliveries/${delivery}/redeliver`],
    ];
    expect(await codes(paths, { key: writeKey })).toEqual(['DELIVERY_NOT_FOUND']);
  });
});

test.each(['whd_0', 'whd_', 'whd_1e3', 'whd_99999999999999999999', '1', 'whd_9007199254740991'])(
  'a delivery id such as %s is unknown like any other',
  async (id) => {
    expect(await codes([['GET', `/${webhook}/deliveries/${id}`]], { key: writeKey })).toEqual(['DELIVERY_NOT_FOUND']);
  },
);
