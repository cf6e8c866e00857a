/** Several processes on one port: what visitors get while one of them is killed or replaced. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { visitAt } from '../support/detour.ts';
import { isAlive, openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { until } from '../support/wait.ts';

/** On an idle machine it takes less than 1 s. Tests share the cores with others. */
const REPLACED_WITHIN_MS = 10_000;

let workshop: Workshop;
let service: ServiceProcess;
let address: string;

beforeAll(async () => {
  workshop = openWorkshop();
  service = workshop.start({ PROCESSES: '2' });
  address = await service.ready;
}, 180_000);
afterAll(() => workshop.clear());

const workers = (of = service.pid): number[] => workshop.workers(of);
const demo = (): Promise<number> => visitAt(address, 'demo.localhost', '/old-page').then(({ status }) => status);
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

test('a killed process is replaced, and no response is wrong', async () => {
  const before = workers();
  const wrong: unknown[] = [];
  let cut = 0;
  let answered = 0;
  let isOver = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  async function load(): Promise<void> {
    while (!isOver) {
      await pause(2);
      const answer = await visit(agent).catch(() => undefined);
      if (answer === undefined) cut++;
      else if (answer === '301 /new-page') answered++;
      else wrong.push(answer);
    }
  }
  const loads = Array.from({ length: 8 }, load);
  await pause(300);
  process.kill(before[0] ?? 0, 'SIGKILL');
  await until(() => Promise.resolve(workers().length === 2 && !workers().includes(before[0] ?? 0)), REPLACED_WITHIN_MS);
  await until(async () => (await metric('detour_processes')) === 2, 60_000);
  isOver = true;
  await Promise.all(loads);
  agent.destroy();
  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(100);
  expect(cut).toBeLessThanOrEqual(8);
  expect(await metric('detour_process_restarts_total')).toBe(1);
});

test('a process that gets SIGTERM ends in order and is replaced', async () => {
  await until(async () => (await metric('detour_processes')) === 2, 60_000);
  for (const pid of workers()) {
    process.kill(pid, 'SIGTERM');
    await until(() => Promise.resolve(!isAlive(pid) && workers().length === 2), 30_000);
    await until(async () => (await metric('detour_processes')) === 2, 60_000);
    expect(await demo()).toBe(301);
  }
});

test('a killed primary leaves no worker, and the next start serves', async () => {
  service.signal('SIGTERM');
  await service.ended;
  const primary = workshop.start({ PROCESSES: '2' });
  address = await primary.ready;
  const left = workers(primary.pid);
  expect(left).toHaveLength(2);
  primary.signal('SIGKILL');
  await until(() => Promise.resolve(!left.some(isAlive)), 5_000);
  const next = workshop.start({ PROCESSES: '2' });
  address = await next.ready;
  expect(await demo()).toBe(301);
  next.signal('SIGTERM');
  expect((await next.ended).code).toBe(0);
});

function visit(agent: Agent): Promise<string> {
  const { hostname, port } = new URL(address);
  // Node.js keeps a connection open that its primary handed to a process that was just killed.
  const options = { agent, hostname, port, path: '/old-page', headers: { host: 'demo.localhost' }, timeout: 5_000 };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.on('error', reject).on('end', () => resolve(`${response.statusCode} ${response.headers.location}`));
      response.resume();
    });
    sent.on('timeout', () => sent.destroy(new Error('no response within 5 s'))).on('error', reject);
    sent.end();
  });
}
