/** The maximum of websites and redirects of each plan, at every place that adds some. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setPlan } from '../../src/accounts/account.ts';
import { assertQuota } from '../../src/accounts/quota.ts';
import { websites } from '../../src/db/schema/websites.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { type Plan, PLAN_NAMES, PLANS } from '../../src/vocabulary/plan.ts';
import { type Answer, sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { eventsOf, importFile, newRedirect, newWebsite } from '../surfaces/session-api/site.ts';

let detour: TestDetour;
beforeAll(async () => void (detour = await sharedTestDetour()));
afterAll(() => detour.stop());

/** Inserts redirects `/0`, `/1` and so on, as fast as the database can. */
async function fill(websiteId: number, count: number): Promise<void> {
  await detour.db.execute(sql`
    insert into redirects (website_id, key, old_path, new_path, status_code, is_regex, rev)
    select ${websiteId}::int, '/' || n, '/' || n, '/to', 301, false, 0 from generate_series(0, ${count - 1}::int) n`);
}

async function usageOf(owner: TestAccount): Promise<{ websites: number; redirects: number }> {
  return (await owner.call('GET', '/api/account')).body.account.usage;
}

function actorOf({ accountId }: TestAccount, plan: Plan): Actor {
  return { accountId, plan, type: 'user', id: '1', name: 'owner', role: 'owner', scope: null };
}

const rows = (...paths: string[]): string => ['old_path,new_path', ...paths.map((path) => `${path},/new`)].join('\n');

/** The error, and that it names the plan, its limit and the next plan. */
function expectOverQuota(answer: Answer, ...texts: string[]): void {
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('PLAN_LIMIT_EXCEEDED')]);
  for (const text of texts) expect(answer.body).toMatchObject({ details: expect.stringContaining(text) });
}

test('the limits of each plan are those of the documentation', () => {
  expect(PLAN_NAMES.map((plan) => [plan, PLANS[plan].maxWebsites, PLANS[plan].maxRedirects])).toEqual([
    ['free', 3, 10_000],
    ['pro', 20, 100_000],
    ['business', 100, 1_000_000],
    ['enterprise', 1_000, 20_000_000],
  ]);
});

describe('an account with the maximum of redirects', () => {
  let owner: TestAccount;
  let site: number;
  let other: number;
  let redirect: { id: number };
  let deletion: string;

  const bulk = (body: object, more: object = {}) =>
    owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(other), ...more, ...body });

  beforeAll(async () => {
    owner = await detour.account('pro');
    [site, other] = [await newWebsite(owner), await newWebsite(owner)];
    await fill(site, 99_998);
    redirect = await newRedirect(owner, { website_id: other, old_path: '/kept', new_path: '/to' });
    const deleted = await newRedirect(owner, { website_id: other, old_path: '/deleted', new_path: '/to' });
    await owner.call('DELETE', `/api/redirects/${deleted.id}`);
    deletion = (await eventsOf(detour, owner, other)).find((each) => each.event === 'redirect.deleted').id;
    await newRedirect(owner, { website_id: other, old_path: '/last', new_path: '/to' });
  });

  const adding: Record<string, () => Promise<Answer>> = {
    'creating one': () => owner.call('POST', '/api/redirects', { website_id: site, old_path: '/a', new_path: '/b' }),
    'undoing a deletion': () => owner.call('POST', '/api/redirects/restore', { website_id: other, event_id: deletion }),
    'a bulk import that changes one and adds one': () =>
      bulk({
        redirects: [
          { old_path: '/kept', new_path: '/changed' },
          { old_path: '/a', new_path: '/b' },
        ],
      }),
    'a dry run of a bulk import': () => bulk({ redirects: [{ old_path: '/a', new_path: '/b' }] }, { dry_run: true }),
    'a CSV file': () => importFile(owner, rows('/kept', '/a'), { website_id: String(other), on_conflict: 'update' }),
    'a dry run of a CSV file': () => importFile(owner, rows('/a'), { website_id: String(other), dry_run: 'true' }),
  };
  test.each(Object.entries(adding))('%s is rejected, and nothing is applied', async (_name, add) => {
    expectOverQuota(
      await add(),
      'The pro plan has at most 100,000 redirects',
      'has 100,000',
      'adds 1',
      'business plan',
    );
    expect(await usageOf(owner)).toMatchObject({ redirects: 100_000 });
    const { body } = await owner.call('GET', `/api/redirects/${redirect.id}`);
    expect(body.redirect.new_path).toBe('/to');
  });

  test('a sync that deletes as many as it adds is applied', async () => {
    const path = `/api/v1/websites/${other}/redirects`;
    const replaced = [
      { old_path: '/kept', new_path: '/to' },
      { old_path: '/added', new_path: '/to' },
    ];
    expectOverQuota(
      await owner.keyCall('PUT', path, { redirects: [...replaced, { old_path: '/a', new_path: '/b' }] }),
      'adds 1',
    );
    expect((await owner.keyCall('PUT', path, { redirects: replaced })).body.sync).toEqual({
      created: 1,
      updated: 0,
      deleted: 1,
      unchanged: 1,
    });
    await owner.keyCall('PUT', path, { redirects: [replaced[0], { old_path: '/last', new_path: '/to' }] });
    expect(await usageOf(owner)).toMatchObject({ redirects: 100_000 });
  });

  test('a plan that was lowered leaves what exists, and every change that adds nothing', async () => {
    await setPlan(detour.db, actorOf(owner, 'pro'), 'free');
    const keeping: Record<string, Promise<Answer>> = {
      update: owner.call('PUT', `/api/redirects/${redirect.id}`, { new_path: '/elsewhere' }),
      csv: importFile(owner, rows('/kept', '/last'), { website_id: String(other) }),
      changing: importFile(owner, rows('/kept'), { website_id: String(other), on_conflict: 'update' }),
      dryRun: importFile(owner, rows('/kept'), { website_id: String(other), dry_run: 'true' }),
      bulk: owner.call('POST', '/api/redirects/bulk-update', { redirectIds: [redirect.id], updates: { notes: 'n' } }),
    };
    for (const [name, answer] of Object.entries(keeping)) {
      expect([name, (await answer).status, (await answer).text]).toEqual([name, 200, expect.any(String)]);
    }
    const more = await owner.call('POST', '/api/redirects', { website_id: site, old_path: '/a', new_path: '/b' });
    expectOverQuota(more, 'The free plan has at most 10,000 redirects', 'has 100,000');
    expect((await owner.call('DELETE', `/api/redirects/${redirect.id}`)).status).toBe(200);
    expect(await usageOf(owner)).toMatchObject({ redirects: 99_999 });
  });

  test('a deleted website makes room at once', async () => {
    expect((await owner.call('DELETE', `/api/websites/${site}?force=true`)).status).toBe(200);
    expect(await usageOf(owner)).toMatchObject({ websites: 1, redirects: 1 });
    await newRedirect(owner, { website_id: other, old_path: '/a', new_path: '/b' });
  });
});

describe('at the same time', () => {
  test('of an import and a create for the same room, one is rejected', async () => {
    const owner = await detour.account('free');
    const [full, imported, created] = [await newWebsite(owner), await newWebsite(owner), await newWebsite(owner)];
    await fill(full, 9_600);
    const paths = Array.from({ length: 400 }, (_, n) => `/n${n}`);
    const [file, single] = await Promise.all([
      importFile(owner, rows(...paths), { website_id: String(imported) }),
      owner.call('POST', '/api/redirects', { website_id: created, old_path: '/a', new_path: '/b' }),
    ]);
    const outcome = [file.status, single.status, (await usageOf(owner)).redirects];
    expect([
      [200, 403, 10_000],
      [403, 201, 9_601],
    ]).toContainEqual(outcome);
  });

  test('the second transaction waits for the first and counts what it added', async () => {
    const owner = await detour.account('free');
    const [first = 0, second = 0] = [await newWebsite(owner), await newWebsite(owner)];
    await fill(first, 9_999);
    const actor = actorOf(owner, 'free');
    const insert = (
      websiteId: number,
    ) => sql`insert into redirects (website_id, key, old_path, status_code, is_regex, rev)
      values (${websiteId}, '/x', '/x', 410, false, 0)`;
    const added = { redirects: 1 };
    let late: Promise<unknown> = Promise.resolve();
    await detour.db.transaction(async (tx) => {
      await tx.execute(insert(first));
      await assertQuota(tx, actor, added);
      late = detour.db.transaction(async (other) => {
        await other.execute(insert(second));
        await assertQuota(other, actor, added);
      });
      late.catch(() => {});
      await expect
        .poll(async () => {
          const { rows: waiting } = await detour.db.execute(sql`select from pg_locks where not granted`);
          return waiting.length;
        })
        .toBeGreaterThan(0);
    });
    await expect(late).rejects.toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED' });
    expect(await usageOf(owner)).toMatchObject({ redirects: 10_000 });
  });

  test('six calls create the three websites of the free plan', async () => {
    const owner = await detour.account('free');
    const create = (n: number) => owner.call('POST', '/api/websites', { name: `Site ${n}` });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(create));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.find(({ status }) => status !== 201);
    if (refused) expectOverQuota(refused, 'The free plan has at most 3 websites', 'pro plan');
    const [own] = await detour.db.select().from(websites).where(eq(websites.accountId, owner.accountId));
    await owner.call('DELETE', `/api/websites/${own?.id}`);
    expect((await create(7)).status).toBe(201);
    expectOverQuota(await create(8), 'the account has 3');
  });
});

test('the count of a website follows inserts, updates and deletes, and rollbacks', async () => {
  const owner = await detour.account();
  const site = await newWebsite(owner);
  const counts = async (): Promise<unknown> =>
    (
      await detour.db
        .execute(sql`select w.redirects, (select count(*)::int from redirects r where r.website_id = w.id) as rows
        from websites w where w.id = ${site}`)
    ).rows[0];
  await fill(site, 50);
  expect(await counts()).toEqual({ redirects: 50, rows: 50 });
  await detour.db.execute(
    sql`update redirects set group_id = 'g', in_prod = 1 where website_id = ${site} and key < '/3'`,
  );
  await detour.db.execute(sql`delete from redirects where website_id = ${site} and key > '/4'`);
  await detour.db
    .transaction(async (tx) => {
      await tx.execute(sql`delete from redirects where website_id = ${site}`);
      throw new Error('rolled back');
    })
    .catch(() => {});
  const after = await counts();
  expect(after).toEqual({ redirects: (after as { rows: number }).rows, rows: expect.any(Number) });
  expect(after).not.toEqual({ redirects: 50, rows: 50 });
});
