/** Two real processes on one database: each serves the changes made through the other, and survives it. */
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { startTestDetour, type TestAccount, type TestDetour, send, visitAt } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const WITHIN_MS = 1_000;

let detour: TestDetour;
let owner: TestAccount;
let workshop: Workshop;
let names = 0;

interface Other {
  process: ServiceProcess;
  address: string;
  owner: TestAccount;
}

const newHost = () => `two${++names}.example`;

async function startOther(): Promise<Other> {
  const port = await freePort('127.0.0.1');
  const process = workshop.start({
    DATABASE_URL: detour.url,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  await process.ready;
  const address = `http://127.0.0.1:${port}`;
  const { cookie } = owner;
  const call: TestAccount['call'] = (method, path, body) => send(address, method, path, body, { cookie });
  return { process, address, owner: { ...owner, call } };
}

/** Resolves when the instance at `address` redirects the path to `to`, or, for undefined, no longer redirects it. */
const redirects = (address: string, host: string, path: string, to: string | undefined, withinMs: number) =>
  until(async () => (await visitAt(address, host, path)).location === to, withinMs);

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  workshop = openWorkshop();
});

afterAll(async () => {
  await workshop.clear();
  await detour.stop();
});

describe('two processes', () => {
  let other: Other;

  beforeAll(async () => {
    other = await startOther();
  });

  test('each serves a change made through the other within a second', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const id = await addRedirect(owner, site, { old_path: '/p', new_path: '/0' });
    await redirects(other.address, host, '/p', '/0', WITHIN_MS);
    for (let i = 1; i <= 6; i += 2) {
      await other.owner.call('PUT', `/api/redirects/${id}`, { new_path: `/${i}` });
      await redirects(detour.address, host, '/p', `/${i}`, WITHIN_MS);
      await owner.call('PUT', `/api/redirects/${id}`, { new_path: `/${i + 1}` });
      await redirects(other.address, host, '/p', `/${i + 1}`, WITHIN_MS);
    }
    await other.owner.call('DELETE', `/api/redirects/${id}`);
    await redirects(detour.address, host, '/p', undefined, WITHIN_MS);
  });

  test('concurrent edits through both are live on both, and versions have no gap', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const writers = [owner, other.owner];
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        addRedirect(writers[i % 2] ?? owner, site, { old_path: `/p${i}`, new_path: `/t${i}` }),
      ),
    );
    const all = await settled(owner, site);
    expect(all.map(({ version }) => version)).toEqual(all.map((_, i) => all.length - i));
    expect(all[0]?.redirect_count).toBe(60);
    for (const address of [detour.address, other.address]) {
      for (let i = 0; i < 60; i++) await redirects(address, host, `/p${i}`, `/t${i}`, 1_000);
    }
  });

  test('edits are served within 2 s when the LISTEN connection breaks', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const id = await addRedirect(owner, site, { old_path: '/p', new_path: '/0' });
    await redirects(other.address, host, '/p', '/0', 1_000);
    for (let i = 1; i <= 3; i++) {
      const { rowCount } = await detour.db.$client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()
           and (query ilike 'listen %' or query = 'select 1')`,
      );
      if (i === 1) expect(rowCount).toBeGreaterThanOrEqual(2);
      await owner.call('PUT', `/api/redirects/${id}`, { new_path: `/${i}` });
      await redirects(other.address, host, '/p', `/${i}`, 2_000);
      await redirects(detour.address, host, '/p', `/${i}`, 2_000);
    }
  });

  test('redirects continue and writes recover when all database connections break', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    await addRedirect(owner, site, { old_path: '/p', new_path: '/0' });
    await redirects(other.address, host, '/p', '/0', 1_000);
    const admin = new Client(detour.url);
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await admin.end();
    for (const address of [detour.address, other.address]) {
      expect((await visitAt(address, host, '/p')).location).toBe('/0');
    }
    const added = { website_id: site, old_path: '/q', new_path: '/1' };
    await until(async () => {
      const { status } = await other.owner.call('POST', '/api/redirects', added);
      return status === 201 || status === 409;
    });
    await redirects(detour.address, host, '/q', '/1', 2_000);
    await redirects(other.address, host, '/q', '/1', 2_000);
  });

  test('on SIGTERM a process exits with 0 after its requests, and the other serves all accepted edits', async () => {
    const host = newHost();
    const site = await createSite(other.owner, [host]);
    const adding = Array.from({ length: 20 }, (_, i) =>
      other.owner.call('POST', '/api/redirects', { website_id: site, old_path: `/p${i}`, new_path: '/to' }),
    );
    await adding[0];
    other.process.signal('SIGTERM');
    const signalled = performance.now();
    const answers = await Promise.allSettled(adding);
    expect((await other.process.ended).code).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(5_000);
    const accepted = answers.flatMap((answer, i) =>
      answer.status === 'fulfilled' && answer.value.status === 201 ? [`/p${i}`] : [],
    );
    expect(accepted.length).toBeGreaterThan(0);
    for (const path of accepted) await redirects(detour.address, host, path, '/to', 2_000);
  });
});

test('the other process completes each deployment of a killed process once', async () => {
  const other = await startOther();
  const sites: { id: number; host: string }[] = [];
  for (let i = 0; i < 7; i++) {
    const host = newHost();
    sites.push({ id: await createSite(owner, [host]), host });
  }
  // No process can write a version, so deployments keep running: at most three in each process.
  const lock = new Client(detour.url);
  await lock.connect();
  await lock.query('begin');
  await lock.query('lock table versions in exclusive mode');
  for (const { id } of sites) await addRedirect(owner, id, { old_path: '/p', new_path: '/to' });
  await until(async () => {
    const { rows } = await detour.db.$client.query(
      'select count(*)::int as running from website_environments where running is not null',
    );
    return rows[0].running > 3;
  });
  other.process.signal('SIGKILL');
  await other.process.ended;
  await lock.query('rollback');
  await lock.end();
  for (const { id, host } of sites) {
    const all = await settled(owner, id);
    expect(all.map(({ status, version }) => [status, version])).toEqual([['completed', 1]]);
    expect((await visitAt(detour.address, host, '/p')).location).toBe('/to');
    const { rows } = await detour.db.$client.query(
      `select event from events where website_id = $1 and event like 'deployment.%' order by id`,
      [id],
    );
    expect(rows.map(({ event }) => event)).toEqual(['deployment.started', 'deployment.completed']);
  }
});
