/** The events of an undo. The database writes them from the plan: the same bodies as ../rule/redirect-events.ts makes. */
import type { Tx } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createDeployedTimes, NEVER_DEPLOYED } from '../../deployments/live/database/deployed-at.ts';
import { readLive } from '../../deployments/live/database/live.ts';
import type { TargetedRow } from '../../deployments/live/database/live-states.ts';
import { type NewEvent, publishEvents, publishRows } from '../../events/outbox.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { EventKind } from '../../vocabulary/kinds.ts';
import type { LockedWebsite } from '../../websites/write-website.ts';
import { FIELD_NAMES, type FieldName, FIELDS, TARGET_COLUMNS, targetBitsSql } from '../rule/fields.ts';
import { deployedFields } from '../rule/redirect-events.ts';
import { MAX_IDS } from '../write/selection.ts';
import { type UndoPlan, WILL } from './undo-plan.ts';

/**
 * Publishes the events of an undo, which is the change `id`: one for each redirect, as single writes make. Over 10,000
 * redirects make one event of each kind, as bulk calls do. Call it before the plan is applied: an event has the states
 * before and after.
 */
export async function publishUndo(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  { id, plan }: { id: string; plan: UndoPlan },
): Promise<void> {
  const { restored, recreated, deleted } = plan;
  const count = restored + recreated + deleted;
  if (count > MAX_IDS) return publishEvents(tx, actor, website.now, summaries(website.id, id, plan));
  const deployed = sql`coalesce(${JSON.stringify(await readDeployed(tx, website))}::jsonb ->> b.id::text, ${NEVER})`;
  const parts = (['restore', 'recreate', 'delete'] as const)
    .filter((_, at) => [restored, recreated, deleted][at])
    .map((action) => eventsOf(action, website.id, deployed));
  // Found by position: a join may compare each event with each id, because the plan has no statistics.
  const ids = JSON.stringify(Array.from({ length: count }, () => uuidv7()));
  await publishRows(
    tx,
    actor,
    website.now,
    sql`(select ${ids}::jsonb ->> (row_number() over (order by redirect_id))::int - 1 as id, ${website.id}::int as website_id, *
      from (${sql.join(parts, sql` union all `)}) parts) as e`,
  );
}

function summaries(websiteId: number, changeId: string, { recreated, restored, deleted }: UndoPlan): NewEvent[] {
  const bulk = { filter: { website_id: String(websiteId) }, change_id: changeId };
  const summaryOf = (event: EventKind, count: number, data: object, updates: object | null) =>
    count > 0 ? [{ event, websiteId, data: { redirect: null, ...data, bulk: { ...bulk, updates, count } } }] : [];
  return [
    ...summaryOf('redirect.created', recreated, {}, null),
    ...summaryOf('redirect.updated', restored, { previous: null }, {}),
    ...summaryOf('redirect.deleted', deleted, {}, null),
  ];
}

/** Rows of the plan in memory at a time. */
const BATCH_SIZE = 1_000;
const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);
const NEVER = membersOf(deployedFields(NEVER_DEPLOYED));

/** The members of an event that say since when the live rule of a redirect is live, by id; none if it is live nowhere. */
async function readDeployed(tx: Tx, website: LockedWebsite): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  if ((await readLive(tx, [website.id])).every(({ liveVersion }) => liveVersion === 0)) return found;
  const deployedTimes = createDeployedTimes(tx);
  const rev = sql`${website.rev}::int`;
  // A redirect that comes back is the one that the website will have.
  const since = TARGET_COLUMNS.map((name) => {
    const [before, after] = [sql.raw(`r.${name}`), sql.raw(`b.${name}`)];
    return sql`case when r.id is not null then ${before} when ${after} is not null then ${rev} end as ${sql.raw(name)}`;
  });
  let rows: TargetedRow[] = [];
  do {
    rows = await queryRows<TargetedRow>(tx)`
      select b.id, ${website.id}::int as website_id, coalesce(r.rev, ${rev}) as rev,
        case when r.id is null then b.new_path else r.new_path end as new_path, ${sql.join(since, sql`, `)}
      from undo_plan b left join redirects r on r.ctid = b.place
      where b.code is null and b.id > ${rows.at(-1)?.id ?? 0}::bigint order by b.id limit ${BATCH_SIZE}::int`;
    const times = await deployedTimes(rows);
    rows.forEach(({ id }, index) => {
      const members = membersOf(deployedFields(times[index] ?? NEVER_DEPLOYED));
      if (members !== NEVER) found[id] = members;
    });
  } while (rows.length === BATCH_SIZE);
  return found;
}

const EVENTS = {
  restore: { event: 'redirect.updated', after: 'b' },
  recreate: { event: 'redirect.created', after: 'b' },
  delete: { event: 'redirect.deleted', after: 'r' },
} as const;

/** SQL query: the events of the redirects with which this is to be done. */
function eventsOf(action: keyof typeof EVENTS, websiteId: number, deployed: SQL): SQL {
  const { event, after } = EVENTS[action];
  const isUpdate = action === 'restore';
  const fields = FIELD_NAMES.map((name) => memberOf(FIELDS[name].wire, jsonOf(name, after)));
  const times = ['created_at', 'updated_at'].map((name) => memberOf(name, timeJson(`${after}.${name}`)));
  return sql`
    select b.id as redirect_id, '${sql.raw(event)}' as event,
      ${sql.raw(isUpdate ? 'r.updated_at' : 'null::timestamptz')} as previous_updated_at,
      concat('{"redirect":{"id":"', b.id, '","website_id":"${sql.raw(String(websiteId))}",',
        ${sql.raw([...fields, ...times].join(`, ',', `))}, ',', ${deployed}, '}',
        ${sql.raw(isUpdate ? `',"previous":{', ${PREVIOUS}, '}}'` : `'}'`)}) as data
    from undo_plan b left join redirects r on r.ctid = b.place where ${WILL(action)}`;
}

/** SQL arguments of `concat`: a member of a JSON object. */
const memberOf = (name: string, value: string): string => `'"${name}":', ${value}`;

/** SQL text: the value of a field as JSON.stringify writes it. */
function jsonOf(name: FieldName, state: 'b' | 'r'): string {
  if (name === 'environments') return `(array[${TARGETS_JSON.join(', ')}])[${targetBitsSql(state)} + 1]`;
  const { wire, type } = FIELDS[name];
  const value = `${state}.${wire}`;
  if (type === 'timestamptz(3)') return timeJson(value);
  return `coalesce(${type === 'text' ? `to_json(${value})` : value}::text, 'null')`;
}

const TARGETS_JSON = Array.from({ length: 1 << ENVIRONMENTS.length }, (_, bits) => {
  const environments = ENVIRONMENTS.filter((_name, at) => bits & (1 << at));
  return `'${JSON.stringify(environments)}'`;
});

/** SQL text: the twin of `isoSeconds` (../../platform/clock.ts), as JSON. Faster than to_char. */
const timeJson = (value: string): string =>
  `coalesce(left(to_json(${value} at time zone 'UTC')::text, ${'"2026-01-01T00:00:00'.length}) || 'Z"', 'null')`;

/** SQL text: the members of the fields that the undo changes, with their values before it. */
const PREVIOUS = `concat_ws(',', ${FIELD_NAMES.map((name) => {
  const sides = (['r', 'b'] as const).map((state) =>
    name === 'environments' ? targetBitsSql(state) : `${state}.${FIELDS[name].wire}`,
  );
  const member = `concat(${memberOf(FIELDS[name].wire, jsonOf(name, 'r'))})`;
  return `case when ${sides.join(' is distinct from ')} then ${member} end`;
}).join(', ')})`;
