/** A second real process on the same database: each serves what was changed through the other, and outlives it. */
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { startTestDetour, type TestAccount, type TestDetour, send, visitAt } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

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

/** Resolves once this address leads there, asked at the one instance. */
const leads = (address: string, host: string, path: string, to: string | undefined, withinMs: number) =>
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

  test('each serves within 1 s what was changed through the other', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const id = await addRedirect(owner, site, { old_path: '/p', new_path: '/0' });
    await leads(other.address, host, '/p', '/0', 1_000);
    for (let i = 1; i <= 6; i += 2) {
      await other.owner.call('PUT', `/api/redirects/${id}`, { new_path: `/${i}` });
      await leads(detour.address, host, '/p', `/${i}`, 1_000);
      await owner.call('PUT', `/api/redirects/${id}`, { new_path: `/${i + 1}` });
      await leads(other.address, host, '/p', `/${i + 1}`, 1_000);
    }
    await other.owner.call('DELETE', `/api/redirects/${id}`);
    await leads(detour.address, host, '/p', undefined, 1_000);
  });

  test('concurrent edits through both are all live on both, and versions have no gap', async () => {
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
      for (let i = 0; i < 60; i++) await leads(address, host, `/p${i}`, `/t${i}`, 1_000);
    }
  });

  test('when LISTEN is cut off, edits are still served within 2 s, and soon as fast as before', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const id = await addRedirect(owner, site, { old_path: '/p', new_path: '/0' });
    await leads(other.address, host, '/p', '/0', 1_000);
    for (let i = 1; i <= 3; i++) {
      const { rowCount } = await detour.db.$client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()
           and (query ilike 'listen %' or query = 'select 1')`,
      );
      if (i === 1) expect(rowCount).toBeGreaterThanOrEqual(2);
      await owner.call('PUT', `/api/redirects/${id}`, { new_path: `/${i}` });
      await leads(other.address, host, '/p', `/${i}`, 2_000);
      await leads(detour.address, host, '/p', `/${i}`, 2_000);
    }
  });

  test('when every database connection is cut, redirects go on and writing comes back', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    await addRedirect(owner, site, { old_path: '/p', new_path: '/0' });
    await leads(other.address, host, '/p', '/0', 1_000);
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
    await leads(detour.address, host, '/q', '/1', 2_000);
    await leads(other.address, host, '/q', '/1', 2_000);
  });

  test('SIGTERM: exit 0 as soon as its requests are answered, and what it accepted is served by the one that is left', async () => {
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
    for (const path of accepted) await leads(detour.address, host, path, '/to', 2_000);
  });
});

test('deployments of a process that was killed are ended by the other, each once', async () => {
  const other = await startOther();
  const sites: { id: number; host: string }[] = [];
  for (let i = 0; i < 7; i++) {
    const host = newHost();
    sites.push({ id: await createSite(owner, [host]), host });
  }
  // While nobody can make a version, deployments stay under way: at most three in each process.
  const brake = new Client(detour.url);
  await brake.connect();
  await brake.query('begin');
  await brake.query('lock table versions in exclusive mode');
  for (const { id } of sites) await addRedirect(owner, id, { old_path: '/p', new_path: '/to' });
  await until(async () => {
    const { rows } = await detour.db.$client.query(
      'select count(*)::int as running from website_environments where running is not null',
    );
    return rows[0].running > 3;
  });
  other.process.signal('SIGKILL');
  await other.process.ended;
  await brake.query('rollback');
  await brake.end();
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
