/** The state of hosts, with a name server and TLS servers on this machine. */
import { once } from 'node:events';
import { createServer as createTcpServer, type Server } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHostChecks } from '../../src/domains/host-checks.ts';
import { readCertificate } from '../../src/domains/certificate.ts';
import { selfSigned } from '../support/certificate.ts';
import { testClock } from '../support/clock.ts';
import { until } from '../support/wait.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';

const names: Parameters<typeof startNameServer>[0] = {
  'detour.example': ['127.0.0.1'],
  'shop.example': ['127.0.0.1'],
  'slow.example': 'silent',
};
const YEAR_MS = 365 * 86_400_000;
const validUntil = new Date(Math.floor((Date.now() + YEAR_MS) / 1_000) * 1_000);
const servers: Server[] = [];
let nameServer: NameServer;
let port: number;
beforeAll(async () => {
  nameServer = await startNameServer(names);
  port = await listen(createServer(selfSigned('shop.example', validUntil)));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await nameServer.stop();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket) => socket.on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const tls = (options: TlsOptions) => listen(createServer(options).on('tlsClientError', () => {}));
const read = (at: number, hostname = 'shop.example', egress: 'private' | 'public' = 'private') =>
  readCertificate(hostname, { addresses: ['127.0.0.1'], egress, port: at });

const clock = testClock();
const checksOf = (waitMs?: number) =>
  createHostChecks(
    {
      publicUrl: 'https://detour.example',
      publicAddresses: [],
      dnsServers: [nameServer.address],
      webhookEgress: 'private',
    },
    clock,
    { port, ...(waitMs !== undefined && { waitMs }) },
  );

test('an invalid certificate is shown with the reason', async () => {
  expect(await read(port)).toEqual({
    issuer: 'shop.example',
    validUntil,
    error: 'the certificate is self-signed; use a public certificate authority',
  });
  const expired = await tls(selfSigned('shop.example', new Date(Date.now() - YEAR_MS)));
  expect((await read(expired)).error).toBe('the certificate has expired; renew it');
});

test('a trusted certificate has no error, unless it is for another host', async () => {
  const trusted = selfSigned('shop.example', validUntil);
  const at = await tls(trusted);
  const before = getCACertificates();
  setDefaultCACertificates([...before, trusted.cert]);
  const [right, wrong] = [await read(at), await read(at, 'other.example')];
  setDefaultCACertificates(before);
  expect([right.error, wrong.error]).toEqual([null, 'the certificate is for other hosts: shop.example']);
});

test('a server without a certificate for the host, a closed port and a blocked address differ', async () => {
  const picky = await tls({ SNICallback: (_name, done) => done(new Error('unknown name')) });
  const closed = createTcpServer();
  const closedPort = await listen(closed);
  closed.close();
  await once(closed, 'close');
  expect((await read(picky)).error).toMatch(/no certificate for this host|the handshake failed/);
  expect((await read(closedPort)).error).toBe(`port ${closedPort}: no connection (ECONNREFUSED)`);
  expect((await read(port, 'shop.example', 'public')).error).toBe(
    'shop.example resolves to a loopback address; the service does not connect there (WEBHOOK_EGRESS)',
  );
});

test('only a verified host with an address gets a handshake', async () => {
  const hosts = [
    { hostname: 'shop.example', verified: true },
    { hostname: 'shop.example', verified: false },
    { hostname: 'gone.example', verified: true },
  ];
  const [verified, unverified, gone] = await checksOf().check(1, hosts);
  expect(verified).toMatchObject({ dns: { state: 'here' }, certificate: { validUntil }, checkedAt: clock.now() });
  expect([unverified?.dns.state, unverified?.certificate]).toEqual(['here', null]);
  expect([gone?.dns.state, gone?.certificate]).toEqual(['nowhere', null]);
});

test('a result is used for 30 s', async () => {
  const checks = checksOf();
  const hosts = [{ hostname: 'shop.example', verified: false }];
  const states = async () => (await checks.check(1, hosts)).map(({ dns }) => dns.state);
  expect(await states()).toEqual(['here']);
  delete names['shop.example'];
  clock.advance(29_000);
  expect(await states()).toEqual(['here']);
  clock.advance(2_000);
  expect(await states()).toEqual(['nowhere']);
  names['shop.example'] = ['127.0.0.1'];
});

test('a slow check does not hold the others, goes on, and is there for the next call', async () => {
  const checks = checksOf(500);
  const hosts = ['slow.example', 'detour.example'].map((hostname) => ({ hostname, verified: false }));
  const [slow, fast] = await checks.check(1, hosts);
  expect([slow?.dns.state, slow?.checkedAt, fast?.dns.state]).toEqual(['unknown', null, 'here']);
  // The resolver tries again.
  names['slow.example'] = ['127.0.0.1'];
  await until(async () => (await checks.check(2, hosts))[0]?.dns.state === 'here', 20_000);
});

test('an account has 8 checks at a time, so that it does not hold those of others', async () => {
  const checks = checksOf(200);
  for (let index = 0; index < 40; index++) names[`slow${index}.example`] = 'silent';
  const many = Array.from({ length: 40 }, (_, index) => ({ hostname: `slow${index}.example`, verified: false }));
  const first = checks.check(1, many);
  const [other] = await checks.check(2, [{ hostname: 'detour.example', verified: false }]);
  expect(other?.dns.state).toBe('here');
  expect((await first).map(({ checkedAt }) => checkedAt)).toEqual(many.map(() => null));
  const asked = new Set(nameServer.asked.filter((name) => /^slow\d/.test(name)));
  expect(asked.size).toBeLessThanOrEqual(8);
});
