/** Webhooks: deliveries per second with their log, and the time from a write to the receiver. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { helper } from './cleanup.ts';
import { type Bench, createWebsite, databaseBytes, query, until } from './context.ts';
import { treeCpu } from './proc.ts';
import type { Arrivals } from './receiver.ts';
import { report } from './report.ts';
import type { Service } from './service.ts';
import { median, quantile } from './statistics.ts';

/** The maximum of an account. Each has 8 attempts in flight. */
const WEBHOOKS = 50;
const EVENTS = 512;
const CONCURRENCY = 64;
const WRITES = 300;

export async function measureWebhooks(bench: Bench): Promise<void> {
  const service = await bench.service();
  const website = await createWebsite(service, 'webhooks', false);
  const receiver = helper('receiver.ts');
  const [port] = (await once(receiver.child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}/`;
  const create = (number: number): Promise<{ webhook: { id: string } }> => {
    const body = { name: `bench ${number}`, url, events: ['redirect.created', 'redirect.updated'] };
    return service.keyCall('POST', '/api/webhooks', JSON.stringify(body));
  };
  const ids = [(await create(0)).webhook.id];
  await measureFirstByte(service, website.id, (message) => receiver.child.send(message), receiver.child);
  for (let number = 1; number < WEBHOOKS; number++) ids.push((await create(number)).webhook.id);
  await measureRate(service, website.id, url);
  for (const id of ids) await service.keyCall('DELETE', `/api/webhooks/${id}`);
  await receiver.stop();
}

function createRedirect(service: Service, websiteId: number, path: string): Promise<{ redirect: { id: number } }> {
  const body = { website_id: websiteId, old_path: path, new_path: '/its-target-of-some-length' };
  return service.call('POST', '/api/redirects', JSON.stringify(body));
}

/** From sending a write, which commits before its response, to the arrival: an upper bound. */
async function measureFirstByte(
  service: Service,
  websiteId: number,
  ask: (message: string) => void,
  receiver: NodeJS.EventEmitter,
): Promise<void> {
  const fromWrite: number[] = [];
  const fromResponse: number[] = [];
  // The time of a process since its own start would differ by what the clock was adjusted between two starts.
  const now = (): number => Number(process.hrtime.bigint()) / 1e6;
  for (let i = 0; i < WRITES; i++) {
    await pause(5);
    const arrival = once(receiver, 'message');
    ask('next');
    const sent = now();
    await createRedirect(service, websiteId, `/first-byte-${i}`);
    const responded = now();
    const [{ lastAt }] = (await arrival) as [Arrivals];
    fromWrite.push(lastAt - sent);
    fromResponse.push(lastAt - responded);
  }
  report('firstByte', quantile(fromWrite, 0.99), {
    'median ms': median(fromWrite),
    'from the response, p99 ms': quantile(fromResponse, 0.99),
  });
}

/** The deliveries wait in the database until all are queued: the webhooks count as deactivated because of failures. */
async function measureRate(service: Service, websiteId: number, url: string): Promise<void> {
  const deliveries = EVENTS * WEBHOOKS;
  const alone = await undiciAlone(url, deliveries);
  const cost = await query(service.databaseUrl, async (client) => {
    const bytes = await databaseBytes(service.databaseUrl);
    await client.query(`update webhooks set is_active = false, deactivated_reason = 'failing'`);
    for (let i = 0; i < EVENTS; i++) await createRedirect(service, websiteId, `/delivery-${i}`);
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from deliveries where state = 'pending'`,
    );
    if (rows[0]?.count !== deliveries) throw new Error(`${rows[0]?.count} of ${deliveries} deliveries are queued`);
    const before = treeCpu(service.pid);
    const start = performance.now();
    await client.query('update webhooks set is_active = true, deactivated_reason = null');
    // The commit of a write wakes the dispatcher.
    await createRedirect(service, websiteId, '/wake');
    const done = `select not exists (select from deliveries where state = 'pending')
      and not exists (select from deliveries where state = 'sending') as done`;
    await until('deliveries', async () => (await client.query<{ done: boolean }>(done)).rows[0]?.done === true, 20);
    return {
      seconds: (performance.now() - start) / 1_000,
      micros: treeCpu(service.pid) - before,
      bytes: (await databaseBytes(service.databaseUrl)) - bytes,
    };
  });
  // The write that wakes is an event as well.
  const sent = deliveries + WEBHOOKS;
  const rate = sent / cost.seconds;
  report('deliveries', rate / alone, { 'per second': rate, 'undici alone': alone });
  report('deliveryCpu', cost.micros / sent);
  report('deliveryDisk', cost.bytes / sent);
}

/** The limit: signed requests without a queue or a log. */
async function undiciAlone(url: string, count: number): Promise<number> {
  const agent = new Agent();
  const data = { redirect: { id: '1', old_path: '/delivery-1', new_path: '/its-target-of-some-length' } };
  const body = JSON.stringify({ event: 'redirect.created', timestamp: new Date(), data });
  let left = count;
  const start = performance.now();
  const sender = async (): Promise<void> => {
    while (left-- > 0) {
      const signature = createHmac('sha256', 'secret').update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sender));
  const rate = count / ((performance.now() - start) / 1_000);
  await agent.close();
  return rate;
}
