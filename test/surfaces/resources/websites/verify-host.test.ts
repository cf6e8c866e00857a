/**
 * If anyone can sign up, a website responds for a host only once its owner has proven it. Holds the rules of
 * src/surfaces/resources/websites/host-states.ts.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import pino from 'pino';
import { systemClock } from '../../../../src/platform/clock.ts';
import { loadConfig } from '../../../../src/platform/config/config.ts';
import { startDetour } from '../../../../src/start.ts';
import { type NameServer, startNameServer } from '../../../support/name-server.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../../../support/detour.ts';
import { createSite } from '../../../support/site.ts';

const texts: Record<string, string[]> = {};
const addresses: Record<string, string[]> = {};
let names: NameServer;
let detour: TestDetour;
let owner: TestAccount;
let stranger: TestAccount;
beforeAll(async () => {
  names = await startNameServer(addresses, texts);
  detour = await startTestDetour({ SIGN_UP: 'open', DNS_SERVERS: names.address });
  [owner, stranger] = [await detour.account('pro'), await detour.account('pro')];
});
afterAll(async () => {
  await detour.stop();
  await names.stop();
});

const hostsOf = async (who: TestAccount, id: number) =>
  (await who.call('GET', `/api/websites/${id}`)).body.website.hosts;
const verify = (who: TestAccount, id: number, hostname: string) =>
  who.call('POST', `/api/websites/${id}/hosts/verify`, { hostname });
/** As Caddy asks, by the name of the container. */
const certificateFor = async (host: string) =>
  (await detour.visit('detour:3000', `/api/tls/ask?domain=${host}`)).status;
const statusAt = async (host: string) => (await detour.visit(host, '/')).status;

/** Adds the record that the website shows for its first host. */
async function prove(who: TestAccount, id: number): Promise<void> {
  const [{ verification }] = await hostsOf(who, id);
  texts[verification.name] = [verification.value];
}

test('a host serves once its TXT record exists, and keeps its proof when the hosts change', async () => {
  const id = await createSite(owner, ['proof.example']);
  const [host] = await hostsOf(owner, id);
  expect(host).toEqual({
    hostname: 'proof.example',
    environment: 'production',
    redirect_to: null,
    verified: false,
    verification: {
      type: 'TXT',
      name: '_detour.proof.example',
      value: expect.stringMatching(/^detour-verification=[0-9a-f]{40}$/),
    },
  });
  expect([await statusAt('proof.example'), await certificateFor('proof.example')]).toEqual([421, 404]);

  const early = await verify(owner, id, 'proof.example');
  expect([early.status, early.body.code]).toEqual([422, 'NOT_VERIFIED']);
  expect(early.body.details).toContain('there is no TXT record _detour.proof.example');
  expect(early.body.details).toContain(host.verification.value);
  texts['_detour.proof.example'] = ['something else'];
  expect((await verify(owner, id, 'proof.example')).body.details).toContain('is "something else"');
  expect(await statusAt('proof.example')).toBe(421);

  await prove(owner, id);
  const done = await verify(owner, id, 'PROOF.example.');
  expect([done.status, done.body.website.hosts]).toEqual([200, [{ ...host, verified: true }]]);
  expect([await statusAt('proof.example'), await certificateFor('proof.example')]).toEqual([404, 200]);

  // A client may send back the hosts that it has read.
  const hosts = [
    { ...host, environment: 'staging' },
    { hostname: 'next.proof.example', environment: 'production' },
  ];
  const { body } = await owner.call('PUT', `/api/websites/${id}`, { hosts });
  expect(body.website.hosts.map((each: { verified: boolean }) => each.verified)).toEqual([true, false]);
  expect([await statusAt('proof.example'), await statusAt('next.proof.example')]).toEqual([404, 421]);
});

test('a verification counts as a change: a write with the former if_updated_at is rejected and names who verified', async () => {
  const id = await createSite(owner, ['seen.example']);
  const { updated_at } = (await owner.keyCall('PUT', `/api/v1/websites/${id}`, { name: 'Seen' })).body.website;
  await prove(owner, id);
  expect((await verify(owner, id, 'seen.example')).status).toBe(200);
  const late = await owner.call('PUT', `/api/websites/${id}`, { name: 'Other', if_updated_at: updated_at });
  expect([late.status, late.body.changed_by]).toMatchObject([409, { type: 'user', name: owner.email }]);
  expect(late.body.website.hosts[0].verified).toBe(true);
});

test('a claim without proof does not block an account that proves the host, and cannot be proven afterwards', async () => {
  const squatted = await createSite(stranger, ['shop.wanted.example']);
  const id = await createSite(owner, ['shop.wanted.example']);
  const valueOf = async (who: TestAccount, at: number) => (await hostsOf(who, at))[0].verification.value;
  expect(await valueOf(owner, id)).not.toBe(await valueOf(stranger, squatted));

  await prove(owner, id);
  expect((await verify(stranger, squatted, 'shop.wanted.example')).body.code).toBe('NOT_VERIFIED');
  expect((await verify(owner, id, 'shop.wanted.example')).status).toBe(200);

  await prove(stranger, squatted);
  const late = await verify(stranger, squatted, 'shop.wanted.example');
  expect([late.status, late.body.code]).toEqual([409, 'CONFLICT']);
  const again = await stranger.call('POST', '/api/websites', {
    name: 'Again',
    hosts: [{ hostname: 'shop.wanted.example', environment: 'production' }],
  });
  expect([again.status, again.body.code]).toEqual([409, 'CONFLICT']);

  await owner.call('DELETE', `/api/websites/${id}`);
  expect((await verify(stranger, squatted, 'shop.wanted.example')).status).toBe(200);
});

test('the state of each host is listed in pages, on both surfaces', async () => {
  addresses['here.listed.example'] = ['127.0.0.1'];
  addresses['there.listed.example'] = ['198.51.100.9'];
  const id = await createSite(owner, ['there.listed.example', 'here.listed.example', 'nowhere.listed.example']);
  const first = await owner.call('GET', `/api/websites/${id}/hosts?limit=2`);
  expect(first.status).toBe(200);
  const [there, here] = first.body.hosts;
  expect(here).toEqual({
    hostname: 'here.listed.example',
    environment: 'production',
    redirect_to: null,
    verified: false,
    dns: { state: 'here', addresses: ['127.0.0.1'], problem: null },
    certificate: null,
    last_request_at: null,
    is_apex: false,
    checked_at: expect.stringMatching(/^[\d-]+T[\d:]+Z$/),
  });
  expect([there.hostname, there.dns.state, there.dns.addresses]).toEqual([
    'there.listed.example',
    'elsewhere',
    ['198.51.100.9'],
  ]);
  const last = await owner.call('GET', `/api/websites/${id}/hosts?limit=2&cursor=${first.body.next_cursor}`);
  expect(last.body.hosts.map(({ hostname, dns }: typeof here) => [hostname, dns.state])).toEqual([
    ['nowhere.listed.example', 'nowhere'],
  ]);
  expect(last.body.next_cursor).toBeNull();
  const found = await owner.keyCall('GET', `/api/v1/websites/${id}/hosts?q=HERE.listed`);
  expect(found.body.hosts).toEqual([there, here, ...last.body.hosts]);

  const foreign = await owner.call('GET', `/api/websites/${id}/hosts?q=x&cursor=${first.body.next_cursor}`);
  expect([foreign.status, foreign.body.code]).toEqual([400, 'INVALID_PARAMETER']);
  expect((await stranger.call('GET', `/api/websites/${id}/hosts`)).body.code).toBe('WEBSITE_NOT_FOUND');
});

test('a verified host shows why it has no certificate', async () => {
  addresses['cert.example'] = ['127.0.0.1'];
  const id = await createSite(owner, ['cert.example']);
  await detour.db.execute(sql`update website_hosts set verified = true where hostname = 'cert.example'`);
  const { body } = await owner.call('GET', `/api/websites/${id}/hosts`);
  expect(body.hosts[0].certificate).toEqual({
    issuer: null,
    valid_until: null,
    error: 'cert.example resolves to a loopback address; the service does not connect there (WEBHOOK_EGRESS)',
  });
});

test('the record of a wildcard is that of the name above it, and an exact host below it needs its own', async () => {
  const id = await createSite(owner, ['*.wild.example', 'wild.example', 'shop.wild.example']);
  const [wildcard, base, shop] = await hostsOf(owner, id);
  expect(wildcard.verification).toEqual(base.verification);
  expect(wildcard.verification.name).toBe('_detour.wild.example');
  expect(shop.verification.name).toBe('_detour.shop.wild.example');
  await prove(owner, id);
  expect((await verify(owner, id, '*.Wild.example')).status).toBe(200);
  expect([await statusAt('a.b.wild.example'), await statusAt('wild.example')]).toEqual([404, 421]);
  expect((await verify(owner, id, 'shop.wild.example')).body.code).toBe('NOT_VERIFIED');

  // The owner of a name below it may be another account: who proves the exact host has it.
  const taken = await createSite(stranger, ['shop.wild.example']);
  expect(await statusAt('shop.wild.example')).toBe(404);
  await stranger.call('PUT', `/api/websites/${taken}`, { fallback_url: 'https://stranger.example' });
  await prove(stranger, taken);
  expect((await verify(stranger, taken, 'shop.wild.example')).status).toBe(200);
  expect((await detour.visit('shop.wild.example', '/')).location).toBe('https://stranger.example/');
});

test('only a host of the own website can be verified', async () => {
  const id = await createSite(owner, ['own.example']);
  const other = await verify(owner, id, 'other.example');
  expect([other.status, other.body.details]).toEqual([422, expect.stringContaining('"other.example" is not a host')]);
  expect((await verify(stranger, id, 'own.example')).status).toBe(404);
});

test('what was verified while sign-up was closed stays so, and closed sign-up needs no record', async () => {
  const id = await createSite(owner, ['late.example', 'early.example']);
  await detour.db.execute(sql`update website_hosts set verified = true where hostname = 'early.example'`);
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: detour.url,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SNAPSHOTS: 'off',
  });
  const log = pino({ level: 'silent' });
  const closed = await startDetour({ config, databaseUrl: detour.url, clock: systemClock, log });
  try {
    const statuses = async () =>
      [await visitAt(closed.address, 'early.example', '/'), await visitAt(closed.address, 'late.example', '/')].map(
        ({ status }) => status,
      );
    expect(await statuses()).toEqual([404, 421]);
    const response = await fetch(`${closed.address}/api/websites/${id}/hosts/verify`, {
      method: 'POST',
      headers: { cookie: owner.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ hostname: 'late.example' }),
    });
    expect(response.status).toBe(200);
    expect(await statuses()).toEqual([404, 404]);
  } finally {
    await closed.stop();
  }
});
