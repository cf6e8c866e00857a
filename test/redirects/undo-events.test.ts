/**
 * The events that the database writes for an undo equal those that single writes make, in every byte. Holds the rules
 * of src/redirects/undo/undo-events.ts.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeployedTimes, NEVER_DEPLOYED } from '../../src/deployments/live/database/deployed-at.ts';
import type { NewEvent } from '../../src/events/outbox.ts';
import { isoSeconds } from '../../src/platform/clock.ts';
import { type ChangeItem, readChangeItems } from '../../src/redirects/changes/change-items.ts';
import { requireChange } from '../../src/redirects/changes/find-changes.ts';
import { planChange } from '../../src/redirects/rule/change.ts';
import { redirectEvent, updatedEvent } from '../../src/redirects/rule/redirect-events.ts';
import { redirectOf } from '../../src/redirects/rule/redirect.ts';
import { createWebsite } from '../../src/websites/store.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { createWriter, type Writer } from '../support/redirect-writes.ts';

let database: FreshDatabase;
let writer: Writer;
let websiteId: number;
beforeAll(async () => {
  database = await freshDatabase();
  writer = await createWriter(database.db);
  const options = { isReserved: () => false, needsProof: false };
  const fields = { name: 'site', autoDeploy: false, allowedTargetHosts: ['shop.example'] };
  websiteId = (await createWebsite(database.db, writer.actor, fields, options)).id;
});
afterAll(() => database.close());

/** Texts that JSON escapes, and some that it does not. */
const TEXTS = ['"quoted" \\ /', 'line \u2028 separator', 'ünïcödé 😀', '{"a": null}'];
const ENVIRONMENTS = [[], ['production'], ['staging', 'production'], ['development', 'staging', 'production']];

function entriesOf(round: number, paths: number[]): object[] {
  return paths.map((n) => ({
    old_path: n % 7 === 6 ? `/pattern-${n}/(.*)` : `/${encodeURIComponent(TEXTS[n % 4] ?? '')}/${n}`,
    is_regex: n % 7 === 6,
    ...(n % 5 === round
      ? { new_path: null, status_code: 410 }
      : { new_path: `https://shop.example/${n % 3 ? round : 0}` }),
    ...(n % 4 > 0 && { notes: `${TEXTS[(n + round) % 4]}\r\n\tend`, group_id: TEXTS[(n * round) % 4] }),
    target_environments: ENVIRONMENTS[(n + (n % 2) * round) % 4],
    ...(n % 6 === round && { active_from: '2030-02-01T00:00:00Z', active_until: `2030-03-01T00:00:0${n % 10}Z` }),
  }));
}

async function publish(): Promise<void> {
  const site = sql`website_id = ${websiteId} and environment = 'production'`;
  const { db } = database;
  await db.execute(sql`
    insert into versions (website_id, environment, version, rules_env, rules_rev, rules_max_id, behind, redirect_count, deployed_at)
    select id, 'production', (select coalesce(max(version), 0) + 1 from versions where ${site}), 'production', head_rev,
      (select max(id) from redirects), false, 1, now() from websites where id = ${websiteId}`);
  await db.execute(sql`
    update website_environments e set live_version = v.version, rules_env = v.rules_env, rules_rev = v.rules_rev, rules_max_id = v.rules_max_id
    from (select * from versions where ${site} order by version desc limit 1) v
    where e.website_id = ${websiteId} and e.environment = 'production'`);
}

/** The row whose rule may be live: the former one, unless only its labels changed or it did not exist. */
function liveRow({ before, after }: ChangeItem, rev: number) {
  const row = before && before.rev < rev ? before : (after ?? before);
  if (!row) throw new Error('a change leaves a state');
  return row;
}

function eventOf({ before, after }: ChangeItem, deployed = NEVER_DEPLOYED): NewEvent | undefined {
  const website = { rev: 0, now: new Date(), allowedTargetHosts: ['shop.example'] };
  if (before && after)
    return updatedEvent(before, { ...planChange(before, redirectOf(after), website), row: after }, deployed);
  if (before) return redirectEvent('redirect.deleted', redirectOf(before), deployed);
  return after ? redirectEvent('redirect.created', redirectOf(after), deployed) : undefined;
}

async function expectEvents(changeId: string): Promise<Set<string>> {
  const { db } = database;
  const change = await requireChange(db, writer.actor, changeId);
  const { items } = await readChangeItems(db, change, { limit: 1_000 });
  const times = await createDeployedTimes(db)(items.map((item) => liveRow(item, change.revision)));
  const timestamp = isoSeconds(change.createdAt);
  const expected = items.map((item, index) => {
    const event = eventOf(item, times[index]);
    const previous = event?.previousUpdatedAt?.getTime() ?? null;
    const body = JSON.stringify({ event: event?.event, timestamp, data: event?.data });
    return { event: event?.event, id: item.redirectId, previous, body };
  });
  const { rows } = await db.execute<{ event: string; id: string; previous: string | null; body: string }>(sql`
    select event, redirect_id as id, previous_updated_at as previous, body from events e order by e.id`);
  const found = rows.slice(-items.length).map(({ event, id, previous, body }) => {
    return { event, id: Number(id), previous: previous === null ? null : Date.parse(previous), body };
  });
  expect(found).toEqual(expected);
  return new Set(times.map((time) => JSON.stringify(time)));
}

test('an undo, and the undo of an undo, publish the events of single writes', async () => {
  const paths = Array.from({ length: 84 }, (_, n) => n);
  const deployed = new Set<string>();
  for (const round of [1, 2, 3]) {
    await writer.load(websiteId, entriesOf(round - 1, paths));
    await publish();
    // Creates, changes and deletes redirects at once.
    const { changeId } = await writer.sync(
      websiteId,
      entriesOf(
        round,
        paths.map((n) => n * 2),
      ),
    );
    if (round === 2) await publish();
    let undone = changeId ?? '';
    for (let times = 0; times < 3; times++) {
      undone = (await writer.undo(undone)).changeId ?? '';
      for (const each of await expectEvents(undone)) deployed.add(each);
      if (round === 3) await publish();
    }
  }
  expect(deployed.size).toBeGreaterThan(3);
});
