/** Effects of a sync in detail, for dry runs and refusals. */
import type { Queryable } from '../../../db/connection/client.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { queryRows } from '../../../db/rows.ts';
import { COLUMN_FIELDS, FIELDS } from '../../rule/fields.ts';
import { type RawRedirect, type RedirectFields, redirectOf, rowOf } from '../../rule/redirect.ts';
import {
  CHANGES,
  clearedBits,
  countCleared,
  type DecidedFields,
  NEW_TARGETS,
  newValue,
  OLD_PATH_AFTER,
  valuesAfter,
} from '../engine/change-sql.ts';
import type { SyncChange } from '../engine/import-request.ts';
import { environmentsOfBits } from '../engine/staged-row.ts';
import type { SyncCounts } from './sync-guards.ts';

/** The redirects that a sync compares: those of a website, or of one of its groups. */
export interface SyncScope {
  websiteId: number;
  groupId: string | undefined;
  decided: DecidedFields;
}

/** A redirect `r` of the scope. */
export function inScope({ websiteId, groupId }: Pick<SyncScope, 'websiteId' | 'groupId'>): SQL {
  const inGroup = groupId === undefined ? sql`` : sql` and r.group_id = ${groupId}`;
  return sql`r.website_id = ${websiteId}${inGroup}`;
}

/** The redirect `r` has no entry. */
export const withoutEntry = (table: SQL): SQL => sql`not exists (select 1 from ${table} s where s.key = r.key)`;

const entriesWithRedirect = (table: SQL, { websiteId, decided }: SyncScope): SQL =>
  sql`${table} s left join redirects r on r.website_id = ${websiteId} and r.key = s.key cross join ${valuesAfter(decided)}`;

/** Counts what the entries would change. `total`: redirects of the scope. */
export async function countSync(db: Queryable, table: SQL, scope: SyncScope, total: number) {
  const [row] = await queryRows<Counted>(db)`
    select count(*)::int as entries, count(id)::int as existing,
      count(*) filter (where id is not null and changes > 0)::int as updated, ${countCleared(scope.decided)} as cleared
    from (select r.id, ${CHANGES} as changes, case when r.id is not null then ${clearedBits(scope.decided)} end as cleared
      from ${entriesWithRedirect(table, scope)} where not s.needs_replay) e`;
  const { entries, existing, updated, cleared } = row ?? { entries: 0, existing: 0, updated: 0, cleared: {} };
  return { created: entries - existing, updated, deleted: total - existing, unchanged: existing - updated, cleared };
}

interface Counted {
  entries: number;
  existing: number;
  updated: number;
  cleared: Record<string, number>;
}

/** Names and values of a new redirect. */
const NEW_FIELDS = sql.join(
  COLUMN_FIELDS.map((name) => sql`${sql.raw(`'${FIELDS[name].wire}'`)}, ${newValue(name)}`),
  sql`, `,
);

/** Changes of one kind that a dry run lists. */
const MAX_LISTED = 1_000;

/** Lists the first 1,000 changes of each kind: new and changed redirects in the order of the body, others by path. */
export async function listChanges(
  db: Queryable,
  table: SQL,
  scope: SyncScope,
  { created, updated, deleted }: SyncCounts,
): Promise<SyncChange[]> {
  const entries = entriesWithRedirect(table, scope);
  const lists: SyncChange[][] = [];
  if (created > 0) {
    const rows = await queryRows<{ after: RawFields }>(db)`
      select jsonb_build_object(${NEW_FIELDS}, 'targets', ${NEW_TARGETS}) as after from ${entries}
      where not s.needs_replay and r.id is null order by s.seq limit ${MAX_LISTED}`;
    lists.push(rows.map(({ after }) => changeOf('create', null, fieldsOf(after))));
  }
  if (updated > 0) {
    const rows = await queryRows<{ before: RawRedirect; after: RawFields }>(db)`
      select to_jsonb(r) as before, to_jsonb(v) || jsonb_build_object('old_path', ${OLD_PATH_AFTER}) as after from ${entries}
      where not s.needs_replay and r.id is not null and ${CHANGES} > 0 order by s.seq limit ${MAX_LISTED}`;
    lists.push(rows.map(({ before, after }) => changeOf('update', currentFields(before), fieldsOf(after))));
  }
  if (deleted > 0) {
    const rows = await queryRows<{ before: RawRedirect }>(db)`
      select to_jsonb(r) as before from redirects r where ${inScope(scope)} and ${withoutEntry(table)}
      order by r.key limit ${MAX_LISTED}`;
    lists.push(rows.map(({ before }) => changeOf('delete', currentFields(before), null)));
  }
  return lists.flat();
}

function changeOf(kind: SyncChange['kind'], before: RedirectFields | null, after: RedirectFields | null): SyncChange {
  return { kind, oldPath: (after ?? before)?.oldPath ?? '', before, after };
}

/** A row of the staging table, or `v` of VALUES_AFTER: some columns of a redirect, and its environments as bits. */
type RawFields = RawRedirect & { targets: number };

const fieldsOf = (raw: RawFields): RedirectFields => ({
  ...currentFields(raw),
  environments: environmentsOfBits(raw.targets),
});

const currentFields = (raw: RawRedirect): RedirectFields => redirectOf(rowOf(raw));
