/** Checks that schedules start, over several processes. Holds the rules of src/checks/automatic/due-starts.ts and start-check.ts. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCheck as startOne } from '../../../src/checks/automatic/start-check.ts';
import { listChecks } from '../../../src/checks/list-checks.ts';
import type { CheckSchedule } from '../../../src/vocabulary/checks.ts';
import type { Plan } from '../../../src/vocabulary/plan.ts';
import { startDueChecks } from '../../../src/start/automatic-checks.ts';
import { answer, type CheckedSite, checkedSite, checkProcess, startCheck } from '../../support/checks.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let database: FreshDatabase;
let clock: TestClock;
beforeAll(async () => {
  database = await freshDatabase();
  await database.db.execute(sql`create table redirect_hits_2030 partition of redirect_hits default`);
});
afterAll(() => database?.close());
beforeEach(async () => {
  await database.db.execute(sql`update websites set check_schedule = '{"every": "off"}'`);
  clock = testClock('2030-05-15T12:00:00.000Z');
});

async function scheduled(targets: string[], schedule: Partial<CheckSchedule> = {}, plan?: Plan): Promise<CheckedSite> {
  const site = await checkedSite(database.db, targets, plan);
  await setSchedule(site, schedule);
  return site;
}
async function setSchedule({ id }: CheckedSite, schedule: Partial<CheckSchedule>): Promise<void> {
  const whole = JSON.stringify({ every: 'daily', hour: 3, weekday: 1, timeZone: 'UTC', ...schedule });
  await database.db.execute(sql`update websites set check_schedule = ${whole}::jsonb where id = ${id}`);
}
/** One tick of a process. */
const tick = () =>
  startDueChecks(
    {
      ...{ db: database.db, clock },
      jobs: {
        startCheck: (actor, start) => startOne(database.db, actor, start, { live: undefined, now: clock.now() }),
      },
    },
    (error) => {
      throw error;
    },
  );
const asked: string[] = [];
async function runAll(): Promise<void> {
  const { runNext } = checkProcess(database.db, clock, ({ url }) => {
    asked.push(url);
    return answer({ end: url });
  });
  while (await runNext());
}
const checksOf = async ({ actor, id }: CheckedSite) =>
  (await listChecks(database.db, actor, { websiteId: id, limit: 100 })).checks.toReversed();
const countOf = async (site: CheckedSite) => (await checksOf(site)).length;

test('a check of the targets in production starts when the hour has come, once over processes and ticks', async () => {
  const site = await scheduled(['https://a.example/1', '/own', 'https://a.example/1'], { timeZone: 'Europe/Berlin' });
  clock.set('2030-05-16T00:59:00Z');
  await database.db.execute(sql`
    insert into check_starts (website_id, environment, what, at) values (${site.id}, 'production', 'options', '2030-05-15T12:00:00Z')`);
  await tick();
  expect(await countOf(site)).toBe(0);
  clock.set('2030-05-16T01:00:00Z');
  await Promise.all([tick(), tick()]);
  expect(await checksOf(site)).toMatchObject([
    { kind: 'targets', environment: 'production', trigger: 'schedule', total: 2, postponed: 0, actorType: 'system' },
  ]);
  await runAll();
  for (let hours = 0; hours < 23; hours++) {
    clock.advance(HOUR);
    await tick();
  }
  expect(await countOf(site)).toBe(1);
  clock.advance(HOUR);
  await Promise.all([tick(), tick()]);
  expect(await countOf(site)).toBe(2);
});

test('a week has one check, on its weekday', async () => {
  const site = await scheduled(['https://a.example/1'], { every: 'weekly', weekday: 5 });
  for (let hours = 0; hours < 14 * 24; hours++) {
    clock.advance(HOUR);
    await tick();
    await runAll();
  }
  expect((await checksOf(site)).map(({ createdAt }) => new Date(createdAt).toISOString())).toEqual([
    '2030-05-17T03:00:00.000Z',
    '2030-05-24T03:00:00.000Z',
  ]);
});

describe('late', () => {
  test.each([
    ['6 hours after its time', '2030-05-16T09:00:00Z', 1],
    ['later', '2030-05-16T09:01:00Z', 0],
  ])('a service that was down starts it until %s', async (_, now, count) => {
    const site = await scheduled(['https://a.example/1']);
    clock.set(now);
    await tick();
    expect(await countOf(site)).toBe(count);
  });

  test.each([
    ['until 12 hours', '2030-05-16T15:00:00Z', 2],
    ['no longer', '2030-05-16T15:01:00Z', 1],
  ])('it waits for the end of another check of the account %s', async (_, end, count) => {
    const site = await scheduled(['https://a.example/1']);
    clock.set('2030-05-16T02:00:00Z');
    await startCheck(database.db, site, clock.now());
    for (const now of ['2030-05-16T03:00:00Z', '2030-05-16T09:30:00Z']) {
      clock.set(now);
      await tick();
      expect(await countOf(site)).toBe(1);
    }
    clock.set(end);
    await runAll();
    await tick();
    expect(await countOf(site)).toBe(count);
  });

  test('the websites of an account are checked one after the other', async () => {
    const first = await scheduled(['https://a.example/1']);
    const second = await scheduled(['https://a.example/1'], { hour: 4 });
    const accountId = first.actor.accountId;
    await database.db.execute(sql`update websites set account_id = ${accountId} where id = ${second.id}`);
    clock.set('2030-05-16T05:00:00Z');
    await tick();
    await tick();
    expect([await countOf(first), await countOf({ ...second, actor: first.actor })]).toEqual([1, 0]);
    await runAll();
    await tick();
    expect(await countOf({ ...second, actor: first.actor })).toBe(1);
  });
});

test('a website without a redirect to ask is skipped until its next time', async () => {
  const site = await scheduled([]);
  clock.set('2030-05-16T03:00:00Z');
  await tick();
  await database.db.execute(sql`
    insert into redirects (website_id, key, old_path, new_path, status_code, is_regex, in_prod, rev)
    values (${site.id}, '/1', '/1', '/own', 301, false, 1, 1)`);
  await tick();
  expect(await countOf(site)).toBe(0);
  clock.advance(DAY);
  await tick();
  expect(await countOf(site)).toBe(1);
});

test('times before the schedule was set start nothing, and off starts nothing', async () => {
  const site = await scheduled(['https://a.example/1']);
  await database.db.execute(sql`
    insert into check_starts (website_id, environment, what, at) values (${site.id}, 'production', 'options', '2030-05-16T03:30:00Z')`);
  clock.set('2030-05-16T04:00:00Z');
  await tick();
  await setSchedule(site, { every: 'off' });
  clock.advance(DAY);
  await tick();
  expect(await countOf(site)).toBe(0);
});

describe('more targets than those of a day', () => {
  const LIMIT = 10_000;
  const urls = (count: number) => Array.from({ length: count }, (_, n) => `https://host${n % 997}.example/${n}`);
  /** Ends the checks that run as if all was asked. */
  const finish = () =>
    database.db.execute(sql`
      with ended as (update checks set status = 'completed', next_at = null, done = total, ended_at = ${clock.now().toISOString()}
        where status = 'queued' returning id)
      update check_targets t set state = 'ok', confirmed = true, due_at = null, checked_at = ${clock.now().toISOString()}
      from ended where t.check_id = ended.id`);
  const stagedBy = async (id: string) =>
    (await database.db.execute<{ url: string }>(sql`select url from check_targets where check_id = ${id}`)).rows.map(
      ({ url }) => url,
    );

  test('three nights ask each once, the heaviest first, before any is asked again', async () => {
    const targets = urls(2 * LIMIT + 500);
    const site = await scheduled(targets, { every: 'weekly', weekday: 4 }, 'free');
    const heavy = targets.at(-1);
    await database.db.execute(sql`
      insert into redirect_hits (website_id, environment, redirect_id, day, hits, bot_hits, micros, countries, visitors)
      select website_id, 'production', id, '2030-05-15', 5, 0, 0, '{}', ''
      from redirects where website_id = ${site.id} and new_path = ${heavy}`);
    for (let night = 0; night < 3; night++) {
      clock.set(`2030-05-${16 + night}T03:00:00Z`);
      await tick();
      await finish();
    }
    const cycle = await checksOf(site);
    expect(cycle.map(({ total, postponed }) => ({ total, postponed }))).toEqual([
      { total: LIMIT, postponed: LIMIT + 500 },
      { total: LIMIT, postponed: 500 },
      { total: 500, postponed: 0 },
    ]);
    const all = await Promise.all(cycle.map(({ id }) => stagedBy(id)));
    expect(all[0]).toContain(heavy);
    expect(all.flat().toSorted()).toEqual(targets.toSorted());
    // The cycle has ended, so the next one begins on its weekday.
    clock.set('2030-05-19T03:00:00Z');
    await tick();
    expect(await countOf(site)).toBe(3);
    clock.set('2030-05-23T03:00:00Z');
    await tick();
    const again = (await checksOf(site)).at(-1);
    expect(again).toMatchObject({ total: LIMIT, postponed: LIMIT + 500 });
    expect(await stagedBy(again?.id ?? '')).toContain(heavy);
  });

  test('what a stopped check has not asked stays in its cycle; without any target left the check waits', async () => {
    // PostgreSQL then expects no redirects of the new website. A plan for few takes 20 s for this many.
    await database.db.execute(sql`analyze`);
    const site = await scheduled(urls(LIMIT + 1), {}, 'free');
    clock.set('2030-05-16T03:00:00Z');
    await tick();
    await database.db.execute(
      sql`update checks set status = 'stopped', ended_at = now() where website_id = ${site.id}`,
    );
    clock.set('2030-05-17T03:00:00Z');
    await tick();
    expect((await checksOf(site)).at(-1)).toMatchObject({ total: LIMIT, postponed: 1 });
    await finish();
    await database.db.execute(sql`
      update check_starts set at = at - interval '1 hour' where website_id = ${site.id} and what = 'schedule'`);
    await tick();
    expect(await countOf(site)).toBe(2);
  });
});
