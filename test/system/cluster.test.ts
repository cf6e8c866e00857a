/** Several processes on one port: signals, limits and metrics of the whole. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive, openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';

let workshop: Workshop;
let service: ServiceProcess;
let address: string;

beforeAll(async () => {
  workshop = openWorkshop();
  service = workshop.start({ PROCESSES: '2' });
  address = await service.ready;
}, 180_000);
afterAll(() => workshop.clear());

test('the first start prints the credentials, a command and one ready line', () => {
  expect(service.stdout().match(/^First start/gm)).toHaveLength(1);
  expect(service.stdout().match(/^ {2}curl -i/gm)).toHaveLength(1);
  expect(service.stdout().match(/^Detour is ready/gm)).toHaveLength(1);
  expect(workshop.workersOf(service)).toHaveLength(2);
});

test('the processes share one rate limit, exactly', async () => {
  // Windows are whole minutes.
  if (Date.now() % 60_000 > 45_000) await pause(60_100 - (Date.now() % 60_000));
  const ask = async (): Promise<number> => (await fetch(`${address}/api/websites`)).status;
  const statuses = await Promise.all(Array.from({ length: 130 }, ask));
  expect(statuses.filter((status) => status === 401)).toHaveLength(100);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
});

test('/metrics adds up the processes, whichever answers', async () => {
  for (let i = 0; i < 6; i++) {
    const text = await (await fetch(`${address}/metrics`)).text();
    expect(text.match(/^detour_webhook_pending /gm)).toHaveLength(1);
    expect(text).toMatch(/^detour_processes 2$/m);
  }
});

test('a port in use is one line that names PORT, exit 1', async () => {
  const { port } = new URL(address);
  const { code, stderr } = await workshop.start({ PROCESSES: '2', PORT: port, DATA_DIR: `${workshop.dataDir}-2` })
    .ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^detour: .*EADDRINUSE.*PORT/m);
  expect(stderr.match(/^detour: /gm)).toHaveLength(1);
});

test('SIGTERM to all of them, as from systemd, exits with 0 within 10 s', async () => {
  const all = workshop.workersOf(service);
  const sent = performance.now();
  for (const pid of [service.pid, ...all]) process.kill(pid, 'SIGTERM');
  const { code } = await service.ended;
  expect(code).toBe(0);
  expect(performance.now() - sent).toBeLessThan(10_000);
  expect(all.filter(isAlive)).toEqual([]);
  expect(workshop.postgresPid()).toBeUndefined();
});
