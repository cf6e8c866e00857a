/** Hits when a real process ends: SIGTERM loses none, `kill -9` at most those of the last second. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_PATH } from '../../src/bootstrap/demo-website.ts';
import { visitAt } from '../support/detour.ts';
import { BROWSER } from '../support/hits.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { until } from '../support/wait.ts';

const VISITS = 200;

interface Credentials {
  api_key: string;
  website_id: string;
}

let workshop: Workshop;
let counted = 0;
beforeAll(() => (workshop = openWorkshop()));
afterAll(() => workshop?.clear());

async function visit(address: string): Promise<void> {
  await Promise.all(
    Array.from({ length: VISITS }, () =>
      visitAt(address, 'demo.localhost', DEMO_PATH, { headers: { 'user-agent': BROWSER } }),
    ),
  );
  counted += VISITS;
}

async function hitsAt(address: string): Promise<number> {
  const file = readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8');
  const { api_key: key, website_id: id } = JSON.parse(file) as Credentials;
  const answer = await fetch(`${address}/api/v1/analytics/overview?website_id=${id}&period=7d`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { total_hits: hits } = (await answer.json()) as { total_hits: number };
  return hits;
}

async function started(): Promise<{ service: ServiceProcess; address: string }> {
  const service = workshop.start();
  return { service, address: (await service.ready).replace('localhost', '127.0.0.1') };
}

test('SIGTERM right after the last response loses no hit', async () => {
  const { service, address } = await started();
  await visit(address);
  service.signal('SIGTERM');
  expect((await service.ended).code).toBe(0);
});

test('kill -9 loses no hit older than a second', async () => {
  const { service, address } = await started();
  expect(await hitsAt(address)).toBe(counted);
  await visit(address);
  await until(async () => (await hitsAt(address)) === counted, 5_000);
  service.signal('SIGKILL');
  await service.ended;
  const again = await started();
  expect(await hitsAt(again.address)).toBe(counted);
  again.service.signal('SIGTERM');
  expect((await again.service.ended).code).toBe(0);
});
