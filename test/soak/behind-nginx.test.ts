/** docs/examples/nginx.conf in front of two processes that restart one after the other: no visitor notices. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { startNginx } from '../support/nginx.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { until } from '../support/wait.ts';

const VISITORS = 8;
const ROUNDS = 1;

let database: FreshDatabase;
let workshop: Workshop;
let folder: string;
beforeAll(async () => {
  database = await freshDatabase();
  workshop = openWorkshop();
  folder = mkdtempSync(join(tmpdir(), 'detour-nginx-'));
});
afterAll(async () => {
  await workshop.clear();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startProcess(port: number): Promise<ServiceProcess> {
  const service = workshop.start({
    PORT: String(port),
    DATABASE_URL: database.url,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    OWNER_EMAIL: 'owner@example.com',
    OWNER_PASSWORD: 'correct horse battery',
    TRUST_PROXY: '1',
    DATA_DIR: join(folder, String(port)),
  });
  await service.ready;
  return service;
}

const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });

/** The status of a redirect of the demo website. */
function visit(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host: 'demo.localhost' };
    const request = httpRequest({ agent, host: '127.0.0.1', port, path: '/old-page', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject).end();
  });
}

test('processes that restart one after the other cost no visitor a redirect', async () => {
  const ports = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  const services = new Map<number, ServiceProcess>();
  for (const port of ports) services.set(port, await startProcess(port));
  const front = await freePort('127.0.0.1');
  const nginx = await startNginx(front, ports);

  const statuses = new Map<number, number>();
  let isOn = true;
  const visitors = Array.from({ length: VISITORS }, async () => {
    while (isOn) {
      const status = await visit(front);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const visits = () => statuses.get(301) ?? 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const port of ports) {
      const before = visits();
      await until(() => Promise.resolve(visits() > before + 100), 60_000);
      services.get(port)?.signal('SIGTERM');
      expect((await services.get(port)?.ended)?.code).toBe(0);
      // While one process is away, the other one answers.
      const during = visits();
      await until(() => Promise.resolve(visits() > during + 100), 60_000);
      services.set(port, await startProcess(port));
    }
  }
  isOn = false;
  await Promise.all(visitors);
  agent.destroy();
  await nginx.stop();
  expect([...statuses.keys()]).toEqual([301]);
  expect(visits()).toBeGreaterThan(ROUNDS * ports.length * 200);
});
