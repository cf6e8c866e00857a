import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDnsState, readServiceAddresses } from '../../src/domains/dns-state.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';

const OWN_IPV6 = '20010db8000000000000000000000007';
const MANY = Array.from({ length: 25 }, (_, index) => `198.51.100.${index + 1}`);

let server: NameServer;
beforeAll(async () => {
  server = await startNameServer(
    {
      'detour.example': ['203.0.113.7', OWN_IPV6],
      'here.example': ['203.0.113.7'],
      'both.example': ['203.0.113.7', OWN_IPV6],
      'old-ipv6.example': ['203.0.113.7', '20010db8000000000000000000000099'],
      'elsewhere.example': ['198.51.100.9'],
      'many.example': MANY,
      'network.example': ['192.0.2.200'],
      'alias.example': ['198.51.100.1'],
      'detour-check.wild.example': ['203.0.113.7'],
      'broken.example': 'broken',
      'empty.example': [],
    },
    {},
    { 'alias.example': 'lb.example', 'lb.example': 'DETOUR.example' },
  );
});
afterAll(() => server.stop());

async function stateOf(host: string, { publicUrl = 'https://detour.example', publicAddresses = [] as string[] } = {}) {
  const service = await readServiceAddresses(publicUrl, publicAddresses, [server.address]);
  return readDnsState(host, service, [server.address]);
}

test.each(['here.example', 'both.example', '*.wild.example', 'alias.example'])('%s points here', async (host) => {
  expect(await stateOf(host)).toEqual({ state: 'here', addresses: expect.any(Array), problem: null });
});

test('a host with other addresses points elsewhere', async () => {
  expect(await stateOf('elsewhere.example')).toEqual({
    state: 'elsewhere',
    addresses: ['198.51.100.9'],
    problem: 'its addresses are not those of the service; those of the service are 203.0.113.7, 2001:db8::7',
  });
  const many = await stateOf('many.example');
  expect([many.state, many.addresses]).toEqual(['elsewhere', MANY.slice(0, 20)]);
});

test('an old address beside the right one is found: some visitors would reach the old server', async () => {
  const { state, problem } = await stateOf('old-ipv6.example');
  expect([state, problem]).toEqual(['elsewhere', expect.stringContaining('2001:db8::99 is not an address of')]);
});

test.each(['missing.example', 'empty.example'])('%s points nowhere', async (host) => {
  expect(await stateOf(host)).toMatchObject({ state: 'nowhere', addresses: [], problem: expect.stringContaining('A') });
});

test('a name server that fails leaves the state unknown', async () => {
  expect(await stateOf('broken.example')).toMatchObject({
    state: 'unknown',
    problem: expect.stringMatching(/did not answer \(E\w+\)/),
  });
});

test('PUBLIC_ADDRESSES are addresses of the service too, also as networks', async () => {
  const publicAddresses = ['192.0.2.0/24', '2001:db8::99'];
  expect((await stateOf('network.example')).state).toBe('elsewhere');
  expect((await stateOf('network.example', { publicAddresses })).state).toBe('here');
  expect((await stateOf('old-ipv6.example', { publicAddresses })).state).toBe('here');
});

test('without addresses of the service the state is unknown, and says what to set', async () => {
  const state = await stateOf('here.example', { publicUrl: 'https://missing.example' });
  expect(state).toMatchObject({ state: 'unknown', addresses: ['203.0.113.7'] });
  expect(state.problem).toContain('PUBLIC_ADDRESSES');
});

test('names below localhost are this machine', async () => {
  const publicUrl = 'http://localhost:3000';
  expect((await stateOf('shop.localhost', { publicUrl })).state).toBe('here');
  expect((await stateOf('shop.localhost', { publicUrl: 'http://127.0.0.1:3000' })).state).toBe('elsewhere');
});
