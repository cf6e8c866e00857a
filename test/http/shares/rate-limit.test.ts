/** Holds the rules of src/http/shares/rate-limit-counter.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setPlan } from '../../../src/accounts/account.ts';
import { clientNetwork } from '../../../src/http/shares/rate-limit.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let detour: TestApp;
beforeAll(async () => void (detour = await startTestApp()));
afterAll(() => detour.close());

const limits = (answer: { headers: Record<string, unknown> }): unknown[] =>
  ['limit', 'remaining', 'reset'].map((name) => Number(answer.headers[`x-ratelimit-${name}`]));

/** Sends `count` requests one after the other; the last answer. */
async function spend(count: number, url: string, options: Parameters<TestApp['call']>[2]) {
  for (let i = 1; i < count; i++) await detour.call('GET', url, options);
  return detour.call('GET', url, options);
}

describe('without credentials', () => {
  test('an address has 100 requests a minute, then 429 until the clock says the next minute', async () => {
    detour.clock.set('2030-05-15T12:00:59.400Z');
    const remoteAddress = '198.51.100.1';
    const reset = Date.parse('2030-05-15T12:01:00Z') / 1_000;
    expect(limits(await detour.call('GET', '/api/account', { remoteAddress }))).toEqual([100, 99, reset]);
    const last = await spend(99, '/api/nothing-here', { remoteAddress });
    expect([last.statusCode, ...limits(last)]).toEqual([404, 100, 0, reset]);

    const refused = await detour.call('GET', '/api/account', { remoteAddress });
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toEqual({ error: 'Rate limit exceeded', code: 'RATE_LIMIT_EXCEEDED', limit: 100, reset });
    expect(refused.headers['retry-after']).toBe('1');
    expect(limits(refused)).toEqual([100, 0, reset]);

    detour.clock.advance(600);
    const next = await detour.call('GET', '/api/account', { remoteAddress });
    expect([next.statusCode, ...limits(next)]).toEqual([401, 100, 99, reset + 60]);
  });

  test('another address has a budget of its own', async () => {
    detour.clock.set('2030-05-15T13:00:00Z');
    await spend(101, '/api/account', { remoteAddress: '198.51.100.2' });
    expect(limits(await detour.call('GET', '/api/account', { remoteAddress: '198.51.100.3' }))[1]).toBe(99);
  });

  test('a wrong key or session counts for the address that sends it', async () => {
    detour.clock.set('2030-05-15T13:10:00Z');
    const remoteAddress = '198.51.100.4';
    await detour.call('GET', '/api/v1/x', { remoteAddress, key: 'dtr_wrong' });
    const answer = await detour.call('GET', '/api/account', {
      remoteAddress,
      cookie: 'detour.session-token=wrong',
    });
    expect(limits(answer)).toEqual([100, 98, Date.parse('2030-05-15T13:11:00Z') / 1_000]);
  });
});

test('an address that has spent its budget gets 429 without a query, except after a valid credential', async () => {
  detour.clock.set('2030-05-15T13:20:00Z');
  const remoteAddress = '198.51.100.5';
  const owner = await detour.account('pro');
  const { key } = await owner.key();
  await spend(100, '/api/account', { remoteAddress });
  const holder = await detour.database.db.$client.connect();
  await holder.query('begin');
  await holder.query('lock table sessions, api_keys in access exclusive mode');
  // A query would wait for the lock.
  const refused = await detour.call('GET', '/api/v1/x', { remoteAddress, key });
  await holder.query('rollback');
  holder.release();
  expect(refused.statusCode).toBe(429);
  const known = '198.51.100.6';
  expect((await detour.call('GET', '/api/v1/x', { remoteAddress: known, key })).statusCode).toBe(404);
  await spend(101, '/api/account', { remoteAddress: known });
  expect((await detour.call('GET', '/api/v1/x', { remoteAddress: known, key })).statusCode).toBe(404);
});

describe('an account', () => {
  test('has one budget over its keys, users and surfaces', async () => {
    detour.clock.set('2030-05-15T14:00:00Z');
    const owner = await detour.account('pro');
    const [one, two] = [await owner.key(), await owner.key()];
    const cookie = await detour.cookieOf(owner.email);
    const other = await detour.cookieOf((await owner.user('viewer')).email);
    const seen = [
      await detour.call('GET', '/api/v1/nothing', { key: one.key }),
      await detour.call('GET', '/api/v1/nothing', { key: two.key, remoteAddress: '203.0.113.9' }),
      await detour.call('GET', '/api/account', { cookie }),
      await detour.call('GET', '/api/account', { cookie: other }),
    ];
    expect(seen.map((answer) => limits(answer)[1])).toEqual([999, 998, 997, 996]);
    expect(seen.map((answer) => limits(answer)[0])[0]).toBe(1_000);
  });

  test('gets the limit of its new plan with the next request, what it used stays used', async () => {
    detour.clock.set('2030-05-15T14:10:00Z');
    const owner = await detour.account('free');
    const cookie = await detour.cookieOf(owner.email);
    const spent = await spend(100, '/api/account', { cookie });
    expect([spent.statusCode, ...limits(spent).slice(0, 2)]).toEqual([200, 100, 0]);
    expect((await detour.call('GET', '/api/account', { cookie })).statusCode).toBe(429);
    await setPlan(detour.database.db, owner.actor, 'business');
    const after = await detour.call('GET', '/api/account', { cookie });
    expect([after.statusCode, ...limits(after).slice(0, 2)]).toEqual([200, 5_000, 4_898]);
  });

  test('is counted exactly when many requests come at once', async () => {
    detour.clock.set('2030-05-15T14:20:00Z');
    const owner = await detour.account('free');
    const cookie = await detour.cookieOf(owner.email);
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => detour.call('GET', '/api/account', { cookie })),
    );
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(100);
    expect(answers.filter((answer) => answer.statusCode === 429)).toHaveLength(30);
  });
});

test('requests outside /api and /v1 are not counted and carry no such headers', async () => {
  const answer = await detour.call('GET', '/health');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
});

test('an address that the router cannot read is counted and answered like any other', async () => {
  detour.clock.set('2030-05-15T15:00:00Z');
  const remoteAddress = '198.51.100.7';
  const answer = await detour.call('GET', '/api/%zz', { remoteAddress });
  expect(answer.statusCode).toBe(404);
  expect(answer.json()).toMatchObject({ code: 'NOT_FOUND', timestamp: '2030-05-15T15:00:00Z' });
  expect(limits(answer).slice(0, 2)).toEqual([100, 99]);
  expect(answer.headers).toHaveProperty('x-request-id');
  const refused = await spend(100, '/api/%zz', { remoteAddress });
  expect(refused.statusCode).toBe(429);
  expect(refused.json()).toMatchObject({ limit: 100 });
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
  ['::1', '0:0:0:0::/64'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
])('a client at %s is counted as %s', (address, network) => expect(clientNetwork(address)).toBe(network));
