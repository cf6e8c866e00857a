/** The last request of each host. The loop ticks every minute, so the test takes the hosts itself. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLiveRegistry } from '../../src/deployments/live/live-registry.ts';
import { createLastRequestLoop, writeLastRequests } from '../../src/domains/last-requests.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { withEdge } from '../../src/surfaces/edge/edge.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { createSite } from '../support/site.ts';
import { optionsFrom } from '../resolver/rules.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour({ DNS_SERVERS: '127.0.0.1:1' });
  owner = await detour.account();
});
afterAll(() => detour.stop());

const registryOf = (...hostnames: string[]) => {
  const registry = createLiveRegistry();
  const hosts = hostnames.map((hostname) => ({ hostname, environment: 'production' as const }));
  registry.setSite({ ...optionsFrom(), id: 1, accountId: 1, fallbackUrl: null, allowedTargetHosts: [], hosts });
  return registry;
};

test('hosts and wildcards are taken once after visitors have requested them', () => {
  const registry = registryOf('www.asked.example', '*.asked.example', 'other.example');
  const ask = (host: string): void => {
    const live = registry.byHostname(host);
    if (live) registry.recordRequest(live);
  };
  registry.byHostname('other.example');
  for (const host of ['www.asked.example', 'a.asked.example', 'b.asked.example', 'unknown.example']) ask(host);
  expect(registry.takeRequested()).toEqual(['www.asked.example', '*.asked.example']);
  expect(registry.takeRequested()).toEqual([]);
  ask('a.asked.example');
  expect(registry.takeRequested()).toEqual(['*.asked.example']);
});

test('the list of hosts has the minute of the last request', async () => {
  const id = await createSite(owner, ['asked.last.example', 'quiet.last.example']);
  const before = Math.floor(Date.now() / 60_000) * 60_000;
  // Two processes at once.
  await Promise.all([1, 2].map(() => writeLastRequests(detour.db, ['asked.last.example', 'unknown.example'])));
  const { body } = await owner.call('GET', `/api/websites/${id}/hosts`);
  const [asked, quiet] = body.hosts as { last_request_at: string | null }[];
  expect(Date.parse(asked?.last_request_at ?? '') % 60_000).toBe(0);
  expect(Date.parse(asked?.last_request_at ?? '')).toBeGreaterThanOrEqual(before);
  expect(quiet?.last_request_at).toBeNull();
});

test('a request that the edge answers is stored, at the latest at the stop; a request for another host is not', async () => {
  const id = await createSite(owner, ['visited.last.example', 'unvisited.last.example']);
  const registry = registryOf('visited.last.example', 'unvisited.last.example');
  const edge = { rulesets: registry, clock: systemClock, requestId: () => 'req' };
  const server = createServer(withEdge(edge, (_, response) => response.writeHead(421).end())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const loop = createLastRequestLoop(detour.db, registry, (error) => expect.unreachable(String(error)));
  loop.start();
  expect((await visitAt(address, 'visited.last.example', '/x')).status).toBe(404);
  expect((await visitAt(address, 'foreign.example', '/x')).status).toBe(421);
  server.close();
  await loop.stop();
  const { body } = await owner.call('GET', `/api/websites/${id}/hosts`);
  const times = body.hosts.map((host: { last_request_at: string | null }) => host.last_request_at !== null);
  expect(times).toEqual([true, false]);
});
