import { setDefaultCACertificates, getCACertificates } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSender } from '../../../src/webhooks/sending/send.ts';
import { selfSigned } from '../../support/certificate.ts';
import { startRawReceiver, startReceiver, type Receiver } from '../../support/receiver.ts';

const trusted = selfSigned('localhost');
const expired = selfSigned('localhost', new Date('2020-01-01T00:00:00Z'));
const otherName = selfSigned('receiver.example');
const unknown = selfSigned('localhost');

beforeAll(() => {
  const known = [trusted, expired, otherName].map(({ cert }) => cert);
  setDefaultCACertificates([...getCACertificates(), ...known]);
});

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0).toReversed()) await close();
});

async function secureReceiver(tls: { key: string; cert: string }): Promise<Receiver> {
  const receiver = await startReceiver({ tls });
  closers.push(() => receiver.stop());
  return receiver;
}

async function send(url: string, timeoutMs = 5_000) {
  const sender = createSender({ egress: 'private', timeoutMs });
  closers.push(() => sender.close());
  return await sender.send({ url, headers: {}, body: '{}' }, new AbortController().signal);
}

test('a receiver with a valid certificate gets its delivery', async () => {
  const { url, requests } = await secureReceiver(trusted);
  expect(await send(url)).toMatchObject({ outcome: 'delivered', status: 200, responseBody: 'ok' });
  expect(requests.map(({ body }) => body)).toEqual(['{}']);
});

describe.each([
  ['of an unknown issuer', unknown, /self-signed/],
  ['that has expired', expired, /expired/],
  ['for another name', otherName, /does not match|altnames/],
])('a certificate %s', (_what, tls, message) => {
  test.each([undefined, '0'])('gets nothing, with NODE_TLS_REJECT_UNAUTHORIZED=%s', async (reject) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', reject);
    const { url, requests } = await secureReceiver(tls);
    const answer = await send(url);
    expect(answer).toMatchObject({ outcome: 'tls', status: null });
    expect(answer.error).toMatch(message);
    expect(requests).toEqual([]);
  });
});

test('a certificate for a name is invalid for its IP address', async () => {
  const { port, requests } = await secureReceiver(trusted);
  expect((await send(`https://127.0.0.1:${port}/`)).outcome).toBe('tls');
  expect(requests).toEqual([]);
});

test('a receiver without TLS is tls, and the error does not show library internals', async () => {
  const plain = await startReceiver();
  closers.push(() => plain.stop());
  const answer = await send(`https://localhost:${plain.port}/`);
  expect(answer.outcome).toBe('tls');
  expect(answer.error).toBe('no secure connection: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)');
});

test('the error of a certificate omits the advice of Node to the operator', async () => {
  const { url } = await secureReceiver(unknown);
  expect((await send(url)).error).toBe('no secure connection: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)');
});

test('a receiver that closes the connection in the handshake is tls', async () => {
  const cut = await startRawReceiver((socket) => socket.destroy());
  closers.push(() => cut.stop());
  expect((await send(`https://localhost:${cut.port}/`)).outcome).toBe('tls');
});

test('a handshake that hangs is a timeout', async () => {
  const hanging = await startRawReceiver(() => undefined);
  closers.push(() => hanging.stop());
  const answer = await send(`https://localhost:${hanging.port}/`, 300);
  expect(answer).toMatchObject({ outcome: 'timeout', status: null });
  expect(answer.durationMs).toBeLessThan(1_300);
});
