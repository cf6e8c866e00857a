/** The operator's port of an agent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { adminListener } from '../../src/edge-agent/listeners.ts';
import { systemClock } from '../../src/platform/clock.ts';

const NONE = { list: () => [], awaited: () => [], missingList: () => undefined };

test('metrics without the token are 401 with the challenge of the service', async () => {
  const metricsToken = '0123456789abcdef';
  const common = { websites: NONE, clock: systemClock, requestId: () => 'id', isStopping: () => false };
  const server = createServer(adminListener({ ...common, metrics: new Registry(), metricsToken }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = async (authorization?: string): Promise<unknown[]> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
    const { status, headers } = await fetch(url, authorization === undefined ? {} : { headers: { authorization } });
    return [status, headers.get('www-authenticate')];
  };
  expect(await ask()).toEqual([401, 'Bearer realm="Detour"']);
  expect(await ask('Bearer wrong')).toEqual([401, 'Bearer realm="Detour", error="invalid_token"']);
  expect(await ask(`Bearer ${metricsToken}`)).toEqual([200, null]);
  server.close();
});
