/**
 * The client that is counted is the one that the rate limit counts: for every setting, what Fastify makes of the same
 * request.
 */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import Fastify from 'fastify';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { createClientReader, createSchemeReader } from '../../../src/surfaces/edge/client.ts';

const FORWARDED = [
  undefined,
  '203.0.113.7',
  '203.0.113.7, 10.0.0.2',
  '198.51.100.1,203.0.113.7 ,  10.0.0.2',
  '10.9.9.9, 10.0.0.3, 10.0.0.2',
  '2001:db8::7, ::ffff:10.0.0.2',
  'unknown, 10.0.0.2',
];
const PEERS = ['10.0.0.1', '::ffff:10.0.0.1', '192.0.2.9', '2001:db8:ffff::1'];
const SETTINGS = ['1', '2', '10.0.0.0/8', '10.0.0.1,2001:db8:ffff::/48', '::ffff:10.0.0.1'];

test.each(SETTINGS)('TRUST_PROXY=%s', async (setting) => {
  const { trustProxy } = loadConfig({ TRUST_PROXY: setting });
  const clientOf = createClientReader({ trustProxy, countryHeader: null });
  const app = Fastify({
    trustProxy: typeof trustProxy === 'number' ? (_address: string, hop: number) => hop < trustProxy : trustProxy,
  });
  app.get('/', (request) => ({ theirs: request.ip, ours: clientOf(request.raw).address }));
  for (const remoteAddress of PEERS)
    for (const forwarded of FORWARDED) {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      const answer = await app.inject({ url: '/', remoteAddress, headers });
      const { theirs, ours } = answer.json<{ theirs: string; ours: string }>();
      expect([remoteAddress, forwarded, ours]).toEqual([remoteAddress, forwarded, theirs]);
    }
  await app.close();
});

function requestFrom(remoteAddress: string, headers: Record<string, string>): IncomingMessage {
  return { socket: { remoteAddress }, rawHeaders: Object.entries(headers).flat() } as unknown as IncomingMessage;
}

test('the country header counts only from a trusted proxy', () => {
  const clientOf = createClientReader({ trustProxy: ['10.0.0.0/8'], countryHeader: 'cf-ipcountry' });
  const headers = { 'cf-ipcountry': 'DE', 'x-forwarded-for': '203.0.113.7' };
  expect(clientOf(requestFrom('10.1.1.1', headers))).toEqual({ address: '203.0.113.7', country: 'DE' });
  expect(clientOf(requestFrom('192.0.2.1', headers))).toEqual({ address: '192.0.2.1', country: undefined });
  const untrusting = createClientReader({ trustProxy: false, countryHeader: null });
  expect(untrusting(requestFrom('10.1.1.1', headers))).toEqual({ address: '10.1.1.1', country: undefined });
});

test('X-Forwarded-Proto counts only from a trusted proxy', () => {
  const schemeOf = createSchemeReader({ trustProxy: ['10.0.0.0/8'] });
  const headers = { 'x-forwarded-proto': 'https' };
  expect(schemeOf(requestFrom('10.1.1.1', headers))).toBe('https');
  expect(schemeOf(requestFrom('192.0.2.1', headers))).toBeUndefined();
});
