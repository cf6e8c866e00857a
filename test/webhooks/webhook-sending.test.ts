/**
 * Webhooks from the API to a real receiver and back: tests, events, redelivery, rotation, switching off and on. Holds
 * the rules of src/webhooks/deliveries/send-test.ts.
 */
import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDispatcher } from '../support/dispatching.ts';
import { scrape } from '../support/metrics.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { hang, type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { addRedirect, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';
import { expectStatus } from '../support/expect-status.ts';

let detour: TestDetour;
let owner: TestAccount;
let site: number;
let receiver: Receiver;
let hook: { id: string; secret: string };
let made = 0;

beforeAll(async () => {
  detour = await startTestDetour({ WEBHOOK_EGRESS: 'private' });
  owner = await detour.account();
  site = await createSite(owner, ['hooks.example'], { auto_deploy: false });
});
beforeEach(async () => {
  receiver = await startReceiver();
  hook = await newHook();
});
// Only the receiver of the running test receives deliveries.
afterEach(async () => {
  await owner.keyCall('DELETE', `/api/webhooks/${hook.id}`);
  await receiver.stop();
});
afterAll(() => detour.stop());

async function newHook(fields: Record<string, unknown> = {}): Promise<{ id: string; secret: string }> {
  const { status, text, body } = await owner.keyCall('POST', '/api/webhooks', {
    name: 'receiver',
    url: receiver.url,
    events: ['redirect.created', 'redirect.deleted'],
    ...fields,
  });
  expectStatus({ status, text }, 201);
  return body.webhook;
}

/** A redirect is added: one event. */
const happen = () => addRedirect(owner, site, { old_path: `/p${made++}`, new_path: '/to' });
const onHook = async (method: string, path: string, body?: unknown) => {
  const answer = await owner.keyCall(method, `/api/webhooks/${hook.id}${path}`, body);
  expect([answer.status, answer.text]).toEqual([expect.toSatisfy((status: number) => status < 300), answer.text]);
  return answer.body;
};
const deliveries = async () => (await onHook('GET', '/deliveries')).deliveries;
/** The deliveries, once each is in the state. */
const allBecome = (state: string) =>
  until(async () => {
    const all = await deliveries();
    return all.length > 0 && all.every((one: { state: string }) => one.state === state) && all;
  });

/** Both signatures, checked as receivers do. */
function verify({ headers, body }: Received, secret: string): void {
  const standard = {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  };
  expect(new Verifier(secret).verify(body, standard)).toEqual(JSON.parse(body));
  expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
}

describe('an event', () => {
  test('reaches the receiver signed, and the log has what was sent and answered', async () => {
    receiver.reply((response) => response.writeHead(202).end('thank you'));
    const redirectId = await happen();
    const [received] = await receiver.got(1);
    if (!received) throw new Error('nothing came');
    verify(received, hook.secret);
    const [delivery] = await allBecome('delivered');
    expect(received.headers).toMatchObject({
      'x-service-event': 'redirect.created',
      'x-service-delivery': delivery.id,
      'x-service-attempt': '1',
      'webhook-id': delivery.event_id,
    });
    expect(JSON.parse(received.body)).toMatchObject({ data: { redirect: { id: String(redirectId) } } });
    const { delivery: logged } = await onHook('GET', `/deliveries/${delivery.id}`);
    expect(logged.body).toBe(received.body);
    expect(logged.attempts).toEqual([
      expect.objectContaining({ attempt: 1, outcome: 'delivered', status: 202, response_body: 'thank you' }),
    ]);
    const { events } = (await owner.call('GET', '/api/events?limit=1')).body;
    expect(events[0]).toMatchObject({ id: delivery.event_id, ...JSON.parse(received.body) });
    expect((await onHook('GET', '')).webhook.last_success_at).not.toBeNull();
  });

  test('of a kind that the webhook does not name is not sent', async () => {
    const id = await happen();
    await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/elsewhere' });
    await owner.call('DELETE', `/api/redirects/${id}`);
    const received = await receiver.got(2);
    expect(new Set(received.map(({ headers }) => headers['x-service-event']))).toEqual(
      new Set(['redirect.created', 'redirect.deleted']),
    );
    expect(await deliveries()).toHaveLength(2);
  });
});

describe('a test', () => {
  test('arrives signed and marked as a test, and its outcome is the answer', async () => {
    receiver.reply((response) => response.writeHead(200).end('hello'));
    const outcome = await onHook('POST', '/test');
    const [received] = await receiver.got(1);
    if (!received) throw new Error('nothing came');
    verify(received, hook.secret);
    expect(outcome).toEqual({
      delivered: true,
      status: 200,
      duration_ms: expect.any(Number),
      error: null,
      response_body: 'hello',
      outcome: 'delivered',
      event: 'redirect.created',
      delivery_id: received.headers['x-service-delivery'],
    });
    expect(JSON.parse(received.body)).toMatchObject({ event: 'redirect.created', data: { test: true } });
    const [logged] = await deliveries();
    expect(logged).toMatchObject({ id: outcome.delivery_id, kind: 'test', state: 'delivered' });
  });

  test.each([
    ['an answer of 500', (r: Receiver) => r.reply(500), { status: 500, outcome: 'receiver_error' }],
    ['a redirect', (r: Receiver) => r.reply(302), { status: 302, outcome: 'redirect' }],
    ['a 410', (r: Receiver) => r.reply(410), { status: 410, outcome: 'gone' }],
    ['a 401', (r: Receiver) => r.reply(401), { status: 401, outcome: 'refused' }],
    ['a cut connection', (r: Receiver) => r.reply((response) => response.destroy()), { status: null }],
  ])(
    'that meets %s says so, is not repeated, and is not held against the receiver',
    async (_what, arrange, expected) => {
      arrange(receiver);
      const before = (await onHook('GET', '')).webhook;
      const outcome = await onHook('POST', '/test', { event: 'redirect.deleted' });
      expect(outcome).toMatchObject({ delivered: false, event: 'redirect.deleted', ...expected });
      expect(outcome.error).toMatch(/\w/);
      expect((await onHook('GET', '')).webhook).toEqual(before);
      expect(await deliveries()).toEqual([
        expect.objectContaining({ kind: 'test', state: 'failed', next_attempt_at: null }),
      ]);
      expect(receiver.requests).toHaveLength(1);
    },
  );

  test('works for a webhook that is switched off, and of any kind', async () => {
    await onHook('PUT', '', { is_active: false });
    expect(await onHook('POST', '/test', { event: 'bulk_export.completed' })).toMatchObject({
      delivered: true,
      event: 'bulk_export.completed',
    });
    expect((await onHook('GET', '')).webhook.is_active).toBe(false);
  });

  test('while another one hangs is 409, and the one that hangs ends as the receiver ends it', async () => {
    receiver.reply(hang);
    const first = onHook('POST', '/test');
    await receiver.got(1);
    const second = await owner.keyCall('POST', `/api/webhooks/${hook.id}/test`);
    expect([second.status, second.body]).toMatchObject([409, { code: 'CONFLICT' }]);
    receiver.release(204);
    expect(await first).toMatchObject({ delivered: true, status: 204 });
    receiver.reply(200);
    expect(await onHook('POST', '/test')).toMatchObject({ delivered: true });
  });

  test('of a kind that does not exist is 422 and nothing is sent', async () => {
    const answer = await owner.keyCall('POST', `/api/webhooks/${hook.id}/test`, { event: 'ping' });
    expect([answer.status, answer.body]).toMatchObject([422, { code: 'VALIDATION_ERROR' }]);
    expect(await deliveries()).toEqual([]);
  });
});

describe('sent again', () => {
  test('an event has the same id and body, and a signature and delivery of its own', async () => {
    await happen();
    const [first] = await allBecome('delivered');
    await onHook('POST', `/deliveries/${first.id}/redeliver`);
    const [one, two] = await receiver.got(2);
    if (!one || !two) throw new Error('nothing came');
    expect([two.body, two.headers['webhook-id']]).toEqual([one.body, one.headers['webhook-id']]);
    expect(two.headers['x-service-delivery']).not.toBe(one.headers['x-service-delivery']);
    verify(two, hook.secret);
    const [second] = await allBecome('delivered');
    expect(second).toMatchObject({ kind: 'redelivery', event_id: first.event_id });
  });

  test('a test is the same test again', async () => {
    const { delivery_id: id } = await onHook('POST', '/test');
    await onHook('POST', `/deliveries/${id}/redeliver`);
    const [one, two] = await receiver.got(2);
    expect(two?.body).toBe(one?.body);
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
  });

  test('a replay of all brings what happened before the webhook was there', async () => {
    await onHook('DELETE', '');
    const since = new Date(Date.now() - 1_000).toISOString();
    const [a, b] = [await happen(), await happen()];
    hook = await newHook();
    const { count } = await onHook('POST', '/replay', { since, state: 'all' });
    const received = await receiver.got(count);
    const ids = received.map(({ body }) => JSON.parse(body).data.redirect.id);
    expect(ids).toEqual(expect.arrayContaining([String(a), String(b)]));
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
    const all = await allBecome('delivered');
    expect(all.every((one: { kind: string }) => one.kind === 'replay')).toBe(true);
  });
});

describe('a replay of waiting deliveries', () => {
  test('makes them due now and sends no event again; the log names the path', async () => {
    await happen();
    await allBecome('delivered');
    receiver.reply(500);
    const id = await happen();
    await until(async () => (await deliveries())[0]?.last_status === 500);
    receiver.reply(200);
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(await onHook('POST', '/replay', { since, state: 'waiting' })).toEqual({ count: 1 });
    const [latest, earlier] = await allBecome('delivered');
    const { body } = await owner.call('GET', `/api/redirects/${id}`);
    expect(latest).toMatchObject({ attempt_count: 2, kind: 'event', subject: body.redirect.old_path });
    expect(earlier).toMatchObject({ attempt_count: 1 });
    expect(await onHook('POST', '/replay', { since, state: 'waiting' })).toEqual({ count: 0 });
  });
});

test('the log names the environment of a deployment', async () => {
  await onHook('PUT', '', { events: ['deployment.completed'] });
  await happen();
  await owner.call('POST', '/api/deployments', { website_id: site, environment: 'production' });
  const [delivery] = await allBecome('delivered');
  expect(delivery).toMatchObject({ event: 'deployment.completed', subject: 'production' });
});

describe('switched off', () => {
  test('nothing is sent or queued; what waited is held, and goes on when switched on', async () => {
    receiver.reply(500);
    await happen();
    await until(async () => (await deliveries())[0]?.last_status === 500);
    await onHook('PUT', '', { is_active: false });
    receiver.reply(200);
    await happen();
    const [held, ...more] = await deliveries();
    expect([held.state, more]).toEqual(['pending', []]);
    // As if its time had come.
    await detour.db.$client.query(`update deliveries set due_at = now() where webhook_id = $1`, [hook.id]);
    const other = await newHook();
    await happen();
    await until(async () => receiver.requests.length === 2);
    expect(receiver.requests[1]?.headers['x-service-delivery']).not.toBe(held.id);
    await owner.keyCall('DELETE', `/api/webhooks/${other.id}`);
    await onHook('PUT', '', { is_active: true });
    const [delivered] = await allBecome('delivered');
    expect(delivered).toMatchObject({ id: held.id, attempt_count: 2 });
    expect((await onHook('GET', '')).webhook).toMatchObject({
      fail_streak: 0,
      failing_since: null,
      pending: 0,
    });
  });

  test('by a 410 it keeps collecting, and sends all of it when it is activated', async () => {
    receiver.reply(410);
    await happen();
    await until(async () => !(await onHook('GET', '')).webhook.is_active);
    expect((await onHook('GET', '')).webhook).toMatchObject({ deactivated_reason: 'gone', pending: 1 });
    await happen();
    expect((await onHook('GET', '')).webhook.pending).toBe(2);
    receiver.reply(200);
    await onHook('PUT', '', { is_active: true });
    await detour.db.$client.query(`update deliveries set due_at = now() where webhook_id = $1`, [hook.id]);
    expect(await allBecome('delivered')).toHaveLength(2);
  });
});

test('a delivery in flight while the webhook is deleted ends, and is not retried', async () => {
  receiver.reply(hang);
  await happen();
  await receiver.got(1);
  const [{ id }] = await deliveries();
  await onHook('DELETE', '');
  receiver.release(500);
  const state = await until(async () => {
    const { rows } = await detour.db.$client.query('select state, finished_at from deliveries where id = $1', [
      Number(id.slice(4)),
    ]);
    return rows[0].state !== 'sending' && rows[0];
  });
  expect(state).toEqual({ state: 'canceled', finished_at: expect.any(Date) });
});

test('a downgraded account is sent nothing', async () => {
  const other = await detour.account('business');
  const theirs = await other.keyCall('POST', '/api/webhooks', {
    name: 'x',
    url: receiver.url,
    events: ['redirect.created'],
  });
  expect(theirs.status).toBe(201);
  const theirSite = await createSite(other, ['downgraded.example'], { auto_deploy: false });
  await detour.db.$client.query(`update accounts set plan = 'pro' where id = $1`, [other.accountId]);
  await addRedirect(other, theirSite, { old_path: '/p', new_path: '/to' });
  await happen();
  const [received] = await receiver.got(1);
  expect(received?.headers['x-service-delivery']).toBe((await deliveries())[0].id);
  const { webhook } = (await other.keyCall('GET', `/api/webhooks/${theirs.body.webhook.id}`)).body;
  expect(webhook.pending).toBe(0);
  expect(receiver.requests).toHaveLength(1);
});

describe('with a new secret', () => {
  test('both secrets verify in the overlap, and a receiver that knows only the old one loses nothing', async () => {
    const old = hook.secret;
    const { webhook } = await onHook('POST', '/rotate-secret', { overlap_seconds: 3_600 });
    receiver.reply((response, received) => {
      const expected = `sha256=${createHmac('sha256', old).update(received.body).digest('hex')}`;
      response.writeHead(received.headers['x-service-signature'] === expected ? 200 : 401).end();
    });
    await happen();
    const [delivery] = await allBecome('delivered');
    const [refused, accepted] = receiver.requests;
    if (!refused || !accepted) throw new Error('it was not tried twice');
    verify(refused, webhook.secret);
    verify(accepted, old);
    const { delivery: logged } = await onHook('GET', `/deliveries/${delivery.id}`);
    expect(logged.attempts).toMatchObject([
      { attempt: 1, status: 401, signed_with: 'current' },
      { attempt: 2, status: 200, signed_with: 'previous' },
    ]);
    expect((await onHook('GET', '')).webhook.fail_streak).toBe(0);
    // The receiver has its new secret.
    receiver.reply((response, received) => {
      const expected = `sha256=${createHmac('sha256', webhook.secret).update(received.body).digest('hex')}`;
      response.writeHead(received.headers['x-service-signature'] === expected ? 200 : 401).end();
    });
    await happen();
    await until(async () => (await deliveries()).every((one: { state: string }) => one.state === 'delivered'));
    expect(await onHook('POST', '/test')).toMatchObject({ delivered: true });
  });

  test('without overlap only the new one signs', async () => {
    const old = hook.secret;
    const { webhook } = await onHook('POST', '/rotate-secret', { overlap_seconds: 0 });
    await onHook('POST', '/test');
    const [received] = await receiver.got(1);
    if (!received) throw new Error('nothing came');
    verify(received, webhook.secret);
    expect(() => verify(received, old)).toThrow();
  });
});

test('with WEBHOOK_SENDING=off nothing is sent, and a process that sends delivers it all later', async () => {
  const off = await startTestDetour({ WEBHOOK_EGRESS: 'private', WEBHOOK_SENDING: 'off' });
  const account = await off.account();
  const { body } = await account.keyCall('POST', '/api/webhooks', {
    name: 'restored',
    url: receiver.url,
    events: ['redirect.created'],
  });
  await addRedirect(account, await createSite(account, ['off.example']), { old_path: '/off', new_path: '/to' });
  const tested = await account.keyCall('POST', `/api/webhooks/${body.webhook.id}/test`);
  expect([tested.status, tested.body.code, tested.body.details]).toEqual([
    409,
    'SENDING_DISABLED',
    expect.stringContaining('WEBHOOK_SENDING=off'),
  ]);
  await until(async () => (await scrape(off.address)).value('detour_webhook_pending') === 1);
  expect((await scrape(off.address)).value('detour_webhook_sending')).toBe(0);
  const sender = await openDispatcher(off);
  sender.start();
  await receiver.got(1);
  await until(async () => /attempts_total\{outcome="delivered"\} 1$/m.test(await sender.numbers()));
  expect((await scrape(off.address)).value('detour_webhook_attempts_total')).toBeUndefined();
  expect(receiver.requests).toHaveLength(1);
  await sender.end();
  await off.stop();
});
