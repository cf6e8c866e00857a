import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows, repeatInBatches } from '../../db/rows.ts';
import { newId } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { CHANGE_RETENTION_DAYS, type ChangeKind } from '../../vocabulary/kinds.ts';
import type { LockedWebsite } from '../../websites/write-website.ts';
import { type FieldName, wireNames } from '../rule/fields.ts';

/** How many redirects a write created, changed and deleted. */
export interface ChangeCounts {
  created: number;
  updated: number;
  deleted: number;
}

export interface NewChange {
  kind: ChangeKind;
  counts: Partial<ChangeCounts>;
  /** of an update: the fields with a new value in at least one redirect */
  fields?: Iterable<FieldName>;
  /** of an undo: the change that it took back */
  undoes?: string;
}

/**
 * Records what a transaction did to the redirects of a website, so that it is listed and can be undone. Every writer
 * calls it once for each website, after its last insert of a new redirect. Returns the id of the change, or null if nothing changed.
 */
export async function recordChange(
  tx: Queryable,
  actor: Actor,
  website: Pick<LockedWebsite, 'id' | 'rev' | 'now' | 'lastRedirectId'>,
  { kind, counts: { created = 0, updated = 0, deleted = 0 }, fields, undoes }: NewChange,
): Promise<string | null> {
  if (created + updated + deleted === 0) return null;
  const id = newId('chg_');
  const names = fields ? wireNames([...fields]) : null;
  // The sequence is shared with other websites, but this transaction holds the lock of its own: no other writer created
  // redirects of this website since lockWebsite read the sequence.
  await queryRows(tx)`
    insert into changes (id, website_id, revision, kind, created, updated, deleted, first_id, last_id,
      actor_type, actor_id, actor_name, created_at, fields, undoes)
    select ${id}, ${website.id}::int, ${website.rev}::int, ${kind}, ${created}::int, ${updated}::int, ${deleted}::int,
      ${website.lastRedirectId}::bigint,
      (select case when is_called then last_value else 0 end from redirects_id_seq),
      ${actor.type}, ${actor.id}, ${actor.name},
      ${website.now.toISOString()}::timestamptz, ${sql.param(names)}::text[], ${undoes ?? null}::text`;
  return id;
}

/** Rows per delete, so that its locks and WAL are small. */
const BATCH_SIZE = 5_000;

/** Deletes changes that are no longer listed. Uses the clock of the database. Safe in several processes at once. */
export async function purgeChanges(db: Db): Promise<void> {
  await repeatInBatches(BATCH_SIZE, (limit) =>
    db.execute(sql`delete from changes where ctid = any(array(
      select ctid from changes
      where created_at < clock_timestamp() - make_interval(days => ${CHANGE_RETENTION_DAYS}::int) limit ${limit}))`),
  );
}
