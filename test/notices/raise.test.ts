/** Which signals become messages, and when: on a database, with times that the test chooses. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Signal, storeSignal } from '../../src/events/signal.ts';
import type { MessageDeps } from '../../src/notices/queue-message.ts';
import { purgeCauses, raise, type Raised, reportCounted, reportSignals } from '../../src/notices/raise.ts';
import { laggingAgents } from '../../src/notices/watch/agents.ts';
import { findBursts, purgeHours } from '../../src/notices/watch/bursts.ts';
import { endingApiKeys, endingRedirects } from '../../src/notices/watch/ends-soon.ts';
import { failingExpectations, liveLoops } from '../../src/notices/watch/live-rules.ts';
import { nearQuotas } from '../../src/notices/watch/quotas.ts';
import { sendDigest } from '../../src/notices/watch/weekly.ts';
import { createNotice, type NoticeInput } from '../../src/notices/write-notice.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { mailContext, MAX_MAILS } from '../../src/accounts/mail/outbox.ts';
import { storeAccount } from '../support/account.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';

let database: FreshDatabase;
let actor: Actor;
let email: string;
let websiteId: number;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database?.close());

let accounts = 0;
beforeEach(async () => {
  email = `owner${++accounts}@example.com`;
  ({ actor } = await storeAccount(database.db, { email, plan: 'business' }));
  websiteId = await insertWebsite();
});

const secretBox = createSecretBox({ secretKey: Buffer.alloc(32, 7), previousSecretKey: null });
const START = Date.parse('2026-11-26T10:00:00Z');
const at = (minutes: number) => new Date(START + minutes * 60_000);
const deps = (minutes: number): MessageDeps => ({
  secretBox,
  publicUrl: 'https://detour.example',
  now: at(minutes),
});

async function insertWebsite(): Promise<number> {
  const { rows } = await database.db.execute<{ id: number }>(
    sql`insert into websites (account_id, name) values (${actor.accountId}, 'Shop') returning id`,
  );
  return rows[0]?.id ?? 0;
}

const notice = (input: Partial<NoticeInput> = {}) =>
  createNotice(
    database.db,
    actor,
    {
      ...{ name: 'Ops', kinds: ['urls.lost'], websiteIds: null, isActive: true, timeZone: 'UTC' },
      channel: { type: 'slack', url: 'https://chat.example/hook' },
      ...input,
    },
    { ...deps(0), egress: 'public', sendsMail: true },
  );

interface Sent {
  text: string;
  due: Date;
}
/** Messages of the account so far, in order. */
async function sent(): Promise<Sent[]> {
  const { rows } = await database.db.execute<{ event_id: string; message: Buffer; due_at: string }>(
    sql`select event_id, message, due_at from deliveries where account_id = ${actor.accountId} order by id`,
  );
  return rows.map((row) => ({
    text: secretBox.open(row.message, mailContext(row.event_id)),
    due: new Date(row.due_at),
  }));
}

const lost = (path: string | null = null, more: Partial<Raised> = {}): Raised => ({
  ...{ accountId: actor.accountId, kind: 'urls.lost', websiteId, environment: 'production', path, heldUntil: null },
  data: { environment: 'production', lost: 3, before: 0, examples: ['/a'] },
  ...more,
});
const tell = (minutes: number, ...signals: Raised[]) =>
  database.db.transaction((tx) => raise(tx, signals, deps(minutes)));

test('one message an hour and cause; what came meanwhile follows as one with its count', async () => {
  await notice();
  for (let i = 0; i < 20; i++) await tell(i, lost());
  expect(await sent()).toHaveLength(1);
  await reportCounted(database.db, deps(59));
  expect(await sent()).toHaveLength(1);
  await reportCounted(database.db, deps(61));
  const messages = await sent();
  expect(messages).toHaveLength(2);
  expect(messages[0]?.text).not.toContain(' more');
  expect(messages[1]?.text).toContain('and 19 more');
  // The message of the count begins an hour too.
  await tell(100, lost());
  expect(await sent()).toHaveLength(2);
  await purgeCauses(database.db, at(300));
  await tell(200, lost());
  expect((await sent())[2]?.text).toContain('and 1 more');
});

test('a thousand causes are reported once each, ten messages at a time', async () => {
  await notice();
  const paths = Array.from({ length: 1_000 }, (_, i) => lost(`/p${i}`));
  await tell(0, ...paths);
  await tell(1, ...paths);
  const messages = await sent();
  expect(messages).toHaveLength(10);
  expect(messages[9]?.text).toContain('and 990 more');
});

test('a state that lasts is reported once, and again when it returns after the hour', async () => {
  await notice();
  const state = (minutes: number) => lost(null, { heldUntil: at(minutes + 5) });
  for (let minutes = 0; minutes < 180; minutes++) await tell(minutes, state(minutes));
  expect(await sent()).toHaveLength(1);
  await tell(190, state(190));
  expect(await sent()).toHaveLength(2);
});

test('a notice is reported only what it is about', async () => {
  const other = await insertWebsite();
  await notice({ websiteIds: [other] });
  await notice({ kinds: ['quota.near'] });
  await notice({ isActive: false });
  await tell(0, lost());
  expect(await sent()).toEqual([]);
  await tell(0, lost(null, { websiteId: other }));
  expect(await sent()).toHaveLength(1);
  await database.db.execute(sql`update accounts set plan = 'free' where id = ${actor.accountId}`);
  await tell(90, lost(null, { websiteId: other }));
  expect(await sent()).toHaveLength(1);
});

test('signals are stored only if a notice is about them, and reported once by several processes', async () => {
  const signal: Signal<'urls.lost'> = { ...lost(), kind: 'urls.lost', data: lost().data as never };
  await storeSignal(database.db, signal);
  await notice();
  await storeSignal(database.db, signal);
  await Promise.all([1, 2, 3].map(() => reportSignals(database.db, deps(0))));
  expect(await sent()).toHaveLength(1);
  expect(await reportSignals(database.db, deps(1))).toBe('idle');
});

test('above 500 mails a day, mails of notices wait for the next day', async () => {
  await notice({ channel: { type: 'email', to: email } });
  await database.db.execute(sql`
    insert into mail_counts values (${`account ${actor.accountId}`}, '2026-11-26', ${MAX_MAILS - 1})`);
  await tell(0, lost('/a'));
  await tell(0, lost('/b'));
  expect((await sent()).map(({ due }) => due.toISOString())).toEqual([
    '2026-11-26T10:00:00.000Z',
    '2026-11-27T00:00:00.000Z',
  ]);
});

const hour = (path: string, hoursAgo: number, hits: number) =>
  database.db.execute(sql`
    insert into not_found_hours (website_id, environment, path, hour, hits, slots)
    values (${websiteId}, 'production', ${path}, ${at(-60 * hoursAgo).toISOString()}::timestamptz, ${hits},
      array[${hits}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])`);
const bursts = async (minutes: number) =>
  (await findBursts(database.db, at(minutes)))
    .filter((found) => found.websiteId === websiteId)
    .map(({ path, data }) => [path, data]);

test('a burst is 50 requests within 60 minutes, and five times the median hour', async () => {
  await hour('/quiet', 0, 49);
  await hour('/new', 0, 50);
  await hour('/usual', 0, 99);
  for (let hours = 1; hours <= 100; hours++) await hour('/usual', hours, 20);
  const found = { environment: 'production', path: '/new', hits: 50, median: null };
  expect(await bursts(2)).toEqual([['/new', found]]);
  await hour('/loud', 0, 100);
  for (let hours = 1; hours <= 100; hours++) await hour('/loud', hours, 20);
  expect((await bursts(2)).map(([path]) => path)).toEqual(['/loud', '/new']);
  // The hits of the first 5 minutes of an hour count until they are 60 minutes old.
  expect((await bursts(59)).map(([path]) => path)).toEqual(['/loud', '/new']);
  expect(await bursts(66)).toEqual([]);
  await database.db.execute(sql`
    insert into not_found (website_id, environment, path, hits, bot_hits, noise, first_seen_at, last_seen_at, ignored_at)
    values (${websiteId}, 'production', '/new', 50, 0, false, now(), now(), now())`);
  expect((await bursts(2)).map(([path]) => path)).toEqual(['/loud']);
  await purgeHours(database.db, at(60 * 24 * 8));
  expect(await bursts(2)).toEqual([]);
});

test('an API key that expires within 14 days is reported once', async () => {
  await notice({ kinds: ['key.ends_soon'] });
  for (const [name, days] of Object.entries({ soon: 13, next: 2, later: 15, over: -1 })) {
    await database.db.execute(sql`
      insert into api_keys (id, account_id, name, scope, key_hash, expires_at)
      values (${`${name}-${actor.accountId}`}, ${actor.accountId}, ${name}, 'read',
        sha256(convert_to(${`${name}-${actor.accountId}`}, 'UTF8')), ${at(days * 24 * 60).toISOString()}::timestamptz)`);
  }
  for (const minutes of [0, 1, 600]) await tell(minutes, ...(await endingApiKeys(database.db, at(minutes))));
  expect((await sent()).map(({ text }) => /API key (\w+) expires/.exec(text)?.[1])).toEqual(['next', 'soon']);
});

test('loops and failing expectations of the live rules are reported once until they are over, and then again', async () => {
  await notice({ kinds: ['loops.live', 'expectations.failing'] });
  const run = (query: ReturnType<typeof sql>) => database.db.execute(query);
  await run(sql`
    insert into expectations (website_id, environment, key, url, status_code, holds, result_since) values
      (${websiteId}, 'production', '/a', '/a', 301, false, now()), (${websiteId}, 'production', '/b', '/b', 301, false, now()),
      (${websiteId}, 'production', '/c', '/c', 301, true, now()), (${websiteId}, 'staging', '/c', '/c', 301, null, null)`);
  const loop = { code: 'REDIRECT_LOOP', old_paths: ['/x', '/y'], hops: 2 };
  await run(sql`
    insert into deployments (id, website_id, environment, kind, status, version, warnings, actor_type, actor_id, actor_name, deployed_at)
    values (${`dep_${websiteId}`}, ${websiteId}, 'production', 'manual', 'completed', 1, ${JSON.stringify([loop])}, 'user', '1', 'Ann', now())`);
  await run(
    sql`
    insert into website_environments (website_id, environment, live_version, rules_env)
    values (${websiteId}, 'production', 1, 'production')`,
  );
  const look = async (minutes: number) => {
    const found = [
      ...(await liveLoops(database.db, at(minutes))),
      ...(await failingExpectations(database.db, at(minutes))),
    ];
    await tell(minutes, ...found);
    return (await sent()).map(({ text }) => /In \w+, [^.]+/.exec(text)?.[0]);
  };
  const first = [
    'In production, 2 redirects lead back to themselves, such as /x',
    'In production, 2 expectations failed, first /a',
  ];
  expect(await look(0)).toEqual(first);
  for (let minute = 4; minute < 100; minute += 4) expect(await look(minute)).toEqual(first);
  await run(sql`update expectations set holds = true where website_id = ${websiteId}`);
  for (let minute = 100; minute < 110; minute += 4) await look(minute);
  await run(
    sql`update expectations set holds = false where website_id = ${websiteId} and key = '/c' and environment = 'production'`,
  );
  expect(await look(112)).toEqual([...first, 'In production, 1 expectation failed, first /c']);
});

test('a live redirect whose window ends within 7 days is reported once for each rule and window', async () => {
  await notice({ kinds: ['redirect.ends_soon'] });
  const insert = (path: string, days: number, rev = 1) =>
    database.db.execute(sql`
      insert into redirects (website_id, key, old_path, new_path, status_code, is_regex, rev, in_prod, active_until)
      values (${websiteId}, ${path}, ${path}, '/x', 302, false, ${rev}, 1, ${at(days * 24 * 60).toISOString()}::timestamptz)`);
  await database.db.execute(sql`
    insert into website_environments (website_id, environment, live_version, rules_env, rules_rev)
    values (${websiteId}, 'production', 1, 'production', 1)
    on conflict (website_id, environment) do update set live_version = 1, rules_env = 'production', rules_rev = 1`);
  for (const [path, days] of [
    ['/soon', 6.5],
    ['/later', 8],
    ['/over', -1],
  ] as const)
    await insert(path, days);
  // Its schedule is not deployed.
  await insert('/waiting', 2, 2);
  const look = async (minutes: number) => tell(minutes, ...(await endingRedirects(database.db, at(minutes))));
  for (const minutes of [0, 1, 600]) await look(minutes);
  expect(await sent()).toHaveLength(1);
  expect((await sent())[0]?.text).toContain('2026-12-02 22:00 UTC');
  await database.db.execute(
    sql`update redirects set active_until = active_until + interval '1 hour' where old_path = '/soon'`,
  );
  await look(601);
  await look(3 * 24 * 60);
  expect((await sent()).map(({ text }) => /\/(soon|later|waiting)/.exec(text)?.[1])).toEqual(['soon', 'soon', 'later']);
});

test('an agent that is behind for 5 minutes or unseen for 10, and a quota from 90 % until below 80 %, are reported', async () => {
  await notice({ kinds: ['agent.lagging', 'quota.near'] });
  await database.db.execute(sql`
    insert into feed_agents (website_id, environment, name, kind, version, last_seen_at) values
      (${websiteId}, 'production', 'fresh', 'edge', 2, ${at(-9).toISOString()}::timestamptz),
      (${websiteId}, 'production', 'behind', 'edge', 1, ${at(0).toISOString()}::timestamptz),
      (${websiteId}, 'production', 'gone', 'edge', 2, ${at(-11).toISOString()}::timestamptz)`);
  await database.db.execute(sql`
    insert into versions (website_id, environment, version, rules_env, rules_rev, rules_max_id, behind, redirect_count, deployed_at)
    values (${websiteId}, 'production', 2, 'production', 1, 1, false, 0, ${at(-6).toISOString()}::timestamptz)`);
  const own = ({ accountId }: Raised) => accountId === actor.accountId;
  const agents = (await laggingAgents(database.db, at(0))).filter(own);
  expect(agents.map(({ data }) => data)).toEqual([
    { environment: 'production', agent: 'behind', behindSeconds: 360, lastSeenAt: '2026-11-26T10:00:00Z' },
    { environment: 'production', agent: 'gone', behindSeconds: null, lastSeenAt: '2026-11-26T09:49:00Z' },
  ]);
  const use = async (minutes: number, redirects: number) => {
    await database.db.execute(sql`update websites set redirects = ${redirects} where id = ${websiteId}`);
    await tell(minutes, ...(await nearQuotas(database.db, at(minutes))).filter(own));
    return (await sent()).length;
  };
  const hours = 60;
  expect(await use(0, 899_999)).toBe(0);
  expect(await use(1, 900_000)).toBe(1);
  expect(await use(20 * hours, 950_000)).toBe(1);
  expect(await use(40 * hours, 810_000)).toBe(1);
  expect(await use(60 * hours, 900_000)).toBe(1);
  expect(await use(61 * hours, 700_000)).toBe(1);
  expect(await use(62 * hours, 900_000)).toBe(2);
});

test.each([
  ['UTC', '2026-11-30T08:00:00.000Z'],
  ['America/New_York', '2026-11-30T13:00:00.000Z'],
  ['Asia/Kolkata', '2026-11-30T02:30:00.000Z'],
])('the digest of %s is due on Monday at 08:00 there', async (timeZone, due) => {
  const { id } = await notice({ kinds: ['digest.weekly'], timeZone });
  const dueAt = async () =>
    (await database.db.execute<{ digest_at: string }>(sql`select digest_at from notices where id = ${id}`)).rows[0]
      ?.digest_at ?? '';
  expect(new Date(await dueAt()).toISOString()).toBe(due);
  const moment = { ...deps(0), now: new Date(due) };
  while ((await sendDigest(database.db, moment)) !== 'idle');
  const next = new Date(Date.parse(due) + 7 * 86_400_000).toISOString();
  expect([new Date(await dueAt()).toISOString(), (await sent()).length]).toEqual([next, 1]);
});
