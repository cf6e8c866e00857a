/** The runner with a prober of the test. Holds the rules of src/checks/run/claim-check.ts, host-turns.ts, host-slots.ts, ask-target.ts, target-queue.ts and write-results.ts. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeCredentials } from '../../../src/checks/credentials.ts';
import { getCheck, listResults } from '../../../src/checks/list-checks.ts';
import type { ProbeTarget } from '../../../src/checks/probe/probe.ts';
import { createTargetQueue } from '../../../src/checks/run/target-queue.ts';
import { purgeChecks, stopCheck } from '../../../src/checks/stop-check.ts';
import { eventBodySchema } from '../../../src/events/event-schemas.ts';
import { openDatabase } from '../../../src/db/connection/client.ts';
import {
  answer,
  type CheckedSite,
  checkedSite,
  checkProcess,
  fastClock,
  type FakeProbe,
  secretBox,
  startCheck,
} from '../../support/checks.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

const MINUTE = 60_000;
let database: FreshDatabase;
let clock: TestClock;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database?.close());
beforeEach(() => void (clock = testClock()));

const urls = (count: number, hosts: number): string[] =>
  Array.from({ length: count }, (_, n) => `https://host${n % hosts}.example/${n}`);
const read = ({ actor, id }: CheckedSite, checkId: string) => getCheck(database.db, actor, { websiteId: id, checkId });
const results = async ({ actor, id }: CheckedSite, checkId: string) =>
  (await listResults(database.db, actor, { websiteId: id, checkId, limit: 1_000 })).results;
const run = (probe: FakeProbe) => checkProcess(database.db, clock, probe).runNext();

test('a killed process loses at most the last 100 results of 1,000, and another one goes on when its lease is over', async () => {
  const site = await checkedSite(database.db, urls(1_000, 200));
  const check = await startCheck(database.db, site, clock.now());
  const pool = openDatabase(database.url);
  const [finished, lost]: string[][] = [[], []];
  let atKill = Infinity;
  const first = checkProcess(pool, clock, async ({ url }) => {
    await delay(Math.random() * 1_000);
    finished?.push(url);
    if (finished?.length === 600) {
      atKill = 600;
      void pool.$client.end();
    }
    return answer();
  });
  await expect(first.runNext()).rejects.toThrow();
  const before = await read(site, check.id);
  expect(before).toMatchObject({ status: 'running', total: 1_000 });
  expect(before.done).toBeGreaterThanOrEqual(atKill - 100);

  const asked = new Set(finished?.slice(0, atKill));
  const second = checkProcess(database.db, clock, ({ url }) => {
    if (asked.has(url)) lost?.push(url);
    return answer();
  });
  expect(await second.runNext()).toBe(false);
  clock.advance(31_000);
  expect(await second.runNext()).toBe(true);
  expect(await read(site, check.id)).toMatchObject({ status: 'completed', done: 1_000, states: { ok: 1_000 } });
  const oldest = Math.min(...(lost ?? []).map((url) => finished?.indexOf(url) ?? 0));
  expect(oldest).toBeGreaterThanOrEqual(atKill - 100);
});

test('a host gets at most two requests a second over all processes and accounts, an own one as many as its rate', async () => {
  const speed = 10;
  const fast = fastClock(speed);
  const targets = [...urls(60, 3), '/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h'];
  const times = new Map<string, number[]>();
  const probe: FakeProbe = async ({ url }, { turn }, signal) => {
    const { hostname } = new URL(url);
    const end = await turn(hostname, signal);
    times.set(hostname, [...(times.get(hostname) ?? []), fast.now().getTime()]);
    end?.();
    return answer();
  };
  const sites = [await checkedSite(database.db, targets), await checkedSite(database.db, targets)];
  for (const site of sites) await startCheck(database.db, site, fast.now(), { rate: 10 });
  const processes = sites.map(() => checkProcess(database.db, fast, probe, speed));
  const startedAt = fast.now().getTime();
  expect(await Promise.all(processes.map((process) => process.runNext()))).toEqual([true, true]);
  for (const host of ['host0', 'host1', 'host2']) {
    const asked = times.get(`${host}.example`)?.toSorted((a, b) => a - b) ?? [];
    expect(asked).toHaveLength(40);
    asked.forEach((time, index) => expect(time - startedAt).toBeGreaterThanOrEqual(500 * index));
  }
  for (const { id } of sites) {
    const asked = times.get(`www.${id}.example`)?.toSorted((a, b) => a - b) ?? [];
    expect(asked).toHaveLength(8);
    asked.forEach((time, index) => expect(time - startedAt).toBeGreaterThanOrEqual(100 * index));
  }
});

test('a host answers at most two requests at once over all processes, and one that is never released ends by itself', async () => {
  const speed = 20;
  const fast = fastClock(speed);
  let inFlight = 0;
  let most = 0;
  const probe: FakeProbe = async (_target, { turn }, signal) => {
    const end = await turn('slow.example', signal);
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setTimeout(resolve, 2_000 / speed));
    inFlight--;
    end?.();
    return answer();
  };
  const targets = Array.from({ length: 8 }, (_, n) => `https://slow.example/${n}`);
  const sites = [await checkedSite(database.db, targets), await checkedSite(database.db, targets)];
  for (const site of sites) await startCheck(database.db, site, fast.now());
  const processes = sites.map(() => checkProcess(database.db, fast, probe, speed));
  const killed = checkProcess(database.db, fast, probe, speed);
  const never = new AbortController().signal;
  await killed.turns.turn({ host: 'slow.example', rate: 2 }, never);
  await Promise.all(processes.map((process) => process.runNext()));
  expect(most).toBe(2);
});

test('a long check ends its turn when another one waits, and loses nothing', async () => {
  const speed = 20;
  const fast = fastClock(speed);
  const targets = Array.from({ length: 30 }, (_, n) => `https://long.example/${n}`);
  const [long, short] = [
    await checkedSite(database.db, targets),
    await checkedSite(database.db, ['https://b.example/']),
  ];
  const asked: string[] = [];
  const probe: FakeProbe = async ({ url }, { turn }, signal) => {
    (await turn(new URL(url).hostname, signal))?.();
    asked.push(url);
    return answer();
  };
  const checks = [await startCheck(database.db, long, fast.now()), await startCheck(database.db, short, fast.now())];
  const { runNext } = checkProcess(database.db, fast, probe, speed, { sliceMs: 100 });
  const statuses = async () =>
    Promise.all([long, short].map(async (site, n) => (await read(site, checks[n]?.id ?? '')).status));
  await runNext();
  expect(await statuses()).toEqual(['running', 'queued']);
  await runNext();
  expect(await statuses()).toEqual(['running', 'completed']);
  await runNext();
  expect(await statuses()).toEqual(['completed', 'completed']);
  expect(new Set(asked).size).toBe(31);
  expect(asked).toHaveLength(31);
});

describe('states', () => {
  test('a check is completed by first states; an error is confirmed after an hour, and then newly broken', async () => {
    const site = await checkedSite(database.db, ['https://a.example/1', 'https://b.example/2']);
    const check = await startCheck(database.db, site, clock.now());
    const asked: string[] = [];
    const probe: FakeProbe = ({ url }) => {
      asked.push(url);
      return url.includes('a.example') ? answer({ state: 'error', reason: 'dns', status: null }) : answer();
    };
    expect(await run(probe)).toBe(true);
    expect(await read(site, check.id)).toMatchObject({
      ...{ status: 'completed', done: 2, states: { error: 1, ok: 1 }, unconfirmed: 1, newlyBroken: 0 },
    });
    expect(await run(probe)).toBe(false);
    for (const tries of [2, 3]) {
      clock.advance(30 * MINUTE);
      expect(await run(probe)).toBe(true);
      expect(asked).toHaveLength(tries + 1);
    }
    expect(await read(site, check.id)).toMatchObject({ unconfirmed: 0, newlyBroken: 1 });
    clock.advance(120 * MINUTE);
    expect(await run(probe)).toBe(false);
  });

  test('a host that asks to wait is asked by no check before, and then has its state', async () => {
    const site = await checkedSite(database.db, ['https://busy.example/1', 'https://free.example/2']);
    const check = await startCheck(database.db, site, clock.now());
    let isBusy = true;
    const probe: FakeProbe = ({ url }, { holdOff }) => {
      if (!isBusy || !url.includes('busy')) return answer();
      holdOff?.('busy.example', 120);
      return answer({ state: 'blocked', reason: 'http_429', status: 429, retryAfterSeconds: 120 });
    };
    await run(probe);
    expect(await read(site, check.id)).toMatchObject({ status: 'running', done: 1 });
    const { turns } = checkProcess(database.db, clock, probe);
    const { signal } = new AbortController();
    await expect(turns.turn({ host: 'busy.example', rate: 2 }, signal)).rejects.toMatchObject({ seconds: 120 });
    isBusy = false;
    clock.advance(2 * MINUTE);
    (await turns.turn({ host: 'busy.example', rate: 2 }, signal))();
    expect(await run(probe)).toBe(true);
    expect(await read(site, check.id)).toMatchObject({ status: 'completed', states: { ok: 2 } });
  });

  test('one target of several redirects is asked once, and is the state of those that still have it', async () => {
    const target = 'https://gone.example/page';
    const site = await checkedSite(database.db, [target, `${target}#top`, '/own', 'https://fine.example/']);
    const check = await startCheck(database.db, site, clock.now());
    await database.db.execute(sql`
      update redirects set new_path = '/elsewhere', rev = 2 where website_id = ${site.id} and key = '/3'`);
    const asked: ProbeTarget[] = [];
    await run((asks) => {
      asked.push(asks);
      return asks.url === target ? answer({ state: 'dead', reason: 'http_404', status: 404 }) : answer();
    });
    const own = `https://www.${site.id}.example`;
    expect(asked.map(({ url }) => url).toSorted()).toEqual([target, 'https://fine.example/', `${own}/own`].toSorted());
    const { rows } = await database.db.execute(sql`
      select r.key, s.state, s.target = r.new_path as is_current from target_states s
        join redirects r on r.website_id = s.website_id and r.id = s.redirect_id
      where s.website_id = ${site.id} order by r.key`);
    expect(rows).toEqual([
      { key: '/1', state: 'dead', is_current: true },
      { key: '/2', state: 'dead', is_current: true },
      { key: '/4', state: 'ok', is_current: true },
    ]);
    expect((await results(site, check.id)).find(({ url }) => url === target)).toMatchObject({
      ...{ state: 'dead', redirectCount: 2, isNewlyBroken: true, before: null },
      redirects: [{ oldPath: '/1' }, { oldPath: '/2' }],
    });
  });

  test('only what was not broken before is newly broken, in the event and in signals', async () => {
    const { db } = database;
    const site = await checkedSite(db, ['https://a.example/1', 'https://b.example/2']);
    const { accountId } = site.actor;
    await db.execute(sql`
      insert into webhooks (id, account_id, channel, name, url, events, is_active)
      values ('ntc_checks', ${accountId}, 'email', 'Ops', 'ops@example.com', '{}', false)`);
    await db.execute(sql`
      insert into notices (id, account_id, kinds, time_zone) values ('ntc_checks', ${accountId}, '{check.broken}', 'UTC')`);
    const broken = new Set(['https://a.example/1']);
    const probe: FakeProbe = ({ url }) =>
      broken.has(url) ? answer({ state: 'dead', reason: 'http_404', status: 404 }) : answer();
    for (let round = 0; round < 2; round++) {
      await startCheck(db, site, clock.now());
      await run(probe);
      clock.advance(MINUTE);
      broken.add('https://b.example/2');
    }
    const { rows: events } = await db.execute<{ body: string }>(sql`
      select body from events where account_id = ${accountId} and event = 'check.completed' order by id`);
    const bodies = events.map(({ body }) => eventBodySchema('check.completed').parse(JSON.parse(body)) as Body);
    expect(bodies.map(({ data }) => data.check.newly_broken.map(({ url }) => url))).toEqual([
      ['https://a.example/1'],
      ['https://b.example/2'],
    ]);
    expect(bodies[1]?.data.check).toMatchObject({ states: { dead: 2 }, newly_broken_count: 1, total: 2 });
    const { rows: signals } = await db.execute(sql`
      select path, data from notice_signals where account_id = ${accountId} order by id`);
    expect(signals).toEqual([
      { path: null, data: signalOf('/1', 'https://a.example/1') },
      { path: null, data: signalOf('/2', 'https://b.example/2') },
    ]);
  });
});

interface Body {
  data: { check: { newly_broken: { url: string }[] } };
}

const signalOf = (path: string, target: string) => ({
  ...{ environment: 'production', path, target, problem: 'dead, http_404' },
});

test('a check that is stopped while it runs asks no more, keeps its results, and is not claimed again', async () => {
  const site = await checkedSite(database.db, urls(1_000, 10));
  const check = await startCheck(database.db, site, clock.now());
  const place = { websiteId: site.id, checkId: check.id };
  let asked = 0;
  await run(async () => {
    if (++asked === 50) await stopCheck(database.db, site.actor, place, clock.now());
    await delay(5);
    return answer();
  });
  expect(asked).toBeLessThan(500);
  const stopped = await read(site, check.id);
  expect(stopped.status).toBe('stopped');
  expect(stopped.done).toBe(stopped.states.ok ?? 0);
  clock.advance(60 * MINUTE);
  expect(await run(() => answer())).toBe(false);
  await stopCheck(database.db, site.actor, place, clock.now());
  expect(await read(site, check.id)).toEqual(stopped);
});

test('credentials and the nonce are given for own targets only', async () => {
  const { db } = database;
  const site = await checkedSite(db, ['/own', 'https://other.example/x']);
  const hostname = `www.${site.id}.example`;
  await writeCredentials(db, secretBox, site.actor, site.id, { hostname, username: 'me', password: 'secret' });
  await startCheck(db, site, clock.now());
  const asked = new Map<string, ProbeTarget['own']>();
  await run(({ url, own }) => {
    asked.set(url, own);
    return answer();
  });
  expect(asked.get('https://other.example/x')).toBeUndefined();
  expect(asked.get(`https://${hostname}/own`)).toEqual({
    origin: `https://${hostname}`,
    headers: { 'detour-check': expect.stringMatching(/^[\w-]{43}$/), authorization: `Basic ${btoa('me:secret')}` },
  });
  const { rows } = await db.execute<{ secret: Buffer }>(
    sql`select secret from check_credentials where website_id = ${site.id}`,
  );
  expect(rows[0]?.secret.toString('latin1')).not.toMatch(/secret|bWU6c2VjcmV0/);
});

test('a fractional delay of robots.txt is a whole number of milliseconds', async () => {
  const { turns } = checkProcess(database.db, clock, () => answer());
  const { signal } = new AbortController();
  turns.slowDown('delay.example', 2.01);
  (await turns.turn({ host: 'delay.example', rate: 2 }, signal))();
  const { rows } = await database.db.execute(sql`select next_at from check_hosts where host = 'delay.example'`);
  expect(Date.parse(String(rows[0]?.['next_at'])) - clock.now().getTime()).toBe(2_010);
});

test('a check of a million hosts has a bounded number of targets in memory, of many hosts', async () => {
  const site = await checkedSite(database.db, ['https://a.example/1']);
  const { id } = await startCheck(database.db, site, clock.now());
  await database.db.execute(sql`
    insert into check_targets (check_id, n, website_id, url, host, is_own, weight, due_at)
    select ${id}, n + 1, ${site.id}, 'https://h' || n, 'h' || n % 30000, false, 0, ${clock.now().toISOString()}::timestamptz
    from generate_series(1, 60000) n`);
  const queue = createTargetQueue(database.db, id, 2);
  for (let n = 0; n < 20; n++) expect(await queue.refill(clock.now())).toBe(true);
  const hosts: string[] = [];
  for (let target = queue.take(); target; target = queue.take()) hosts.push(target.host);
  expect(hosts).toHaveLength(20_000);
  expect(new Set(hosts).size).toBe(20_000);
  await stopCheck(database.db, site.actor, { websiteId: site.id, checkId: id }, clock.now());
});

test('own targets get no state from a check of staging, others do', async () => {
  const site = await checkedSite(database.db, ['/own', 'https://a.example/1']);
  await database.db.execute(sql`update redirects set in_staging = 1 where website_id = ${site.id}`);
  await database.db.execute(sql`
    insert into website_hosts (hostname, website_id, environment, position)
    values (${`staging.${site.id}.example`}, ${site.id}, 'staging', 2)`);
  const states = async () => {
    const { rows } = await database.db.execute(
      sql`select target from target_states where website_id = ${site.id} order by target`,
    );
    return rows.map(({ target }) => target);
  };
  await startCheck(database.db, site, clock.now(), { environment: 'staging' });
  await run(() => answer());
  expect(await states()).toEqual(['https://a.example/1']);
  await startCheck(database.db, site, clock.now());
  await run(() => answer());
  expect(await states()).toEqual(['/own', 'https://a.example/1']);
});

test('old checks are deleted if a later one of the kind has all targets', async () => {
  const site = await checkedSite(database.db, ['https://a.example/1']);
  const checks: Awaited<ReturnType<typeof startCheck>>[] = [];
  for (const filter of [undefined, undefined, { q: 'a.example' }]) {
    checks.push(await startCheck(database.db, site, clock.now(), filter && { filter }));
    await run(() => answer());
    clock.advance(MINUTE);
  }
  clock.advance(91 * 24 * 60 * MINUTE);
  await purgeChecks(database.db, clock.now());
  const { rows } = await database.db.execute(sql`
    select c.id, (select count(*)::int from check_targets t where t.check_id = c.id) as targets from checks c
    where website_id = ${site.id} order by c.created_at`);
  expect(rows).toEqual([1, 2].map((n) => ({ id: checks[n]?.id, targets: 1 })));
});
