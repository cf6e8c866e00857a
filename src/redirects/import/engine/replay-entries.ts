/**
 * Applies the entries that cannot be merged as a set, one by one in their order: duplicated keys, patterns (limits,
 * groups), statuses without a target, and targets that the website's hosts decide about. Usually few. Afterwards the
 * staging table has one valid entry for each key; a dry run also keeps the valid replayed ones, for the verdict on each row.
 */
import { type SQL, sql } from '../../../db/drizzle.ts';
import type { PoolClient } from 'pg';
import { type Queryable, queryableOf } from '../../../db/connection/client.ts';
import { queryRows } from '../../../db/rows.ts';
import { createOwnHosts } from '../../../resolver/own-hosts.ts';
import { ENVIRONMENTS } from '../../../vocabulary/environment.ts';
import { readHosts } from '../../../websites/website.ts';
import type { LockedWebsite } from '../../../websites/write-website.ts';
import { redirectWith, withoutSorts } from '../../changes/states.ts';
import { type ConflictMode, type RowError, rowError } from '../../../rules/entry.ts';
import { type RedirectRow, rowOf } from '../../rule/redirect.ts';
import { admitPatterns } from './admit-patterns.ts';
import { type AdmitPattern, planEntry, type ServesRules } from './plan-entry.ts';
import type { Stage } from './stage.ts';
import type { DecidedFields } from './change-sql.ts';
import { decidedRow, outcomeRow, type StagedRow } from './staged-row.ts';

export interface ReplayInput {
  stage: Stage;
  mode: ConflictMode;
  /** nothing is applied, and replayed entries stay in the staging table */
  dryRun: boolean;
  onError: (error: RowError) => void;
  /** the existing patterns that stay, if not all do: a condition on `r` */
  keptPatterns?: SQL;
  /** of a sync */
  decided?: DecidedFields;
}

const PAGE_SIZE = 1_000;

/**
 * Replays on a connection outside the merge's transaction: only this import uses the staging table. Returns how many
 * entries stay in it for the merge, one for each key, and how many more were applied or skipped.
 */
export async function replayEntries(client: PoolClient, website: LockedWebsite, input: ReplayInput) {
  const { stage, dryRun } = input;
  const reader = queryableOf(client);
  const table = sql`${sql.identifier(stage.table)}`;
  if (!(await markEntries(reader, table, website.id, input))) return { staged: stage.count, updated: 0, skipped: 0 };
  const admit = await admitPatterns(client, website.id, stage.table, input.keptPatterns);
  const replay = createReplay(website, input, admit, await rulesServer(reader, website));
  let after: Position = { key: '', seq: -1 };
  for (;;) {
    const rows = await readPage(reader, table, website.id, after);
    for (const row of rows) replay.apply(row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) break;
    // Without the index each further page would read the whole stage. A single page is cheaper without it.
    if (after.seq < 0) await reader.execute(sql`create index on ${table} (key, seq) where needs_replay`);
    after = last;
    await writePage(reader, table, replay);
  }
  replay.finishKey();
  await writePage(reader, table, replay);
  if (!dryRun) await reader.execute(sql`delete from ${table} where needs_replay`);
  const [row] = await queryRows<{ count: number }>(reader)`
    select count(*) as count from ${table} where not needs_replay`;
  return { ...replay.counts, staged: row?.count ?? 0 };
}

/**
 * Marks what meets a pattern or a status without target, and all of a duplicated key. Returns false if none is marked.
 */
async function markEntries(reader: Queryable, table: SQL, websiteId: number, input: ReplayInput): Promise<boolean> {
  const { stage, mode } = input;
  let marked = 0;
  if (mode === 'update') {
    const { rowCount } = await reader.execute(sql`
      update ${table} s set needs_replay = true from redirects r
      where not s.needs_replay and r.website_id = ${websiteId} and r.key = s.key and (r.is_regex or r.status_code in (410, 451))`);
    marked = rowCount ?? 0;
  }
  if (stage.hasDuplicates) {
    await reader.execute(sql`
      update ${table} s set needs_replay = true
      where not s.needs_replay and s.key in (select d.key from ${table} d where d.needs_replay)`);
  }
  return stage.needsReplay || marked > 0;
}

async function rulesServer(reader: Queryable, website: LockedWebsite): Promise<ServesRules> {
  const hosts = await readHosts(reader, website);
  const own = new Map(ENVIRONMENTS.map((environment) => [environment, createOwnHosts(hosts, environment)]));
  return (host, environment) => own.get(environment)?.servesRules(host) ?? false;
}

type Position = Pick<StagedRow, 'key' | 'seq'>;

function readPage(reader: Queryable, table: SQL, websiteId: number, after: Position): Promise<StagedRow[]> {
  return withoutSorts(
    reader,
    () => queryRows<StagedRow>(reader)`
      select s.*, to_jsonb(r) as redirect from ${table} s left join lateral ${redirectWith('key', websiteId, sql`s.key`)} r on true
      where s.needs_replay and (s.key, s.seq) > (${after.key} collate "C", ${after.seq}::int)
      order by s.key, s.seq limit ${PAGE_SIZE}`,
  );
}

/** Applies entries that come ordered by key and sequence; holds one key at a time. */
function createReplay(website: LockedWebsite, input: ReplayInput, admit: AdmitPattern, servesRules: ServesRules) {
  const counts = { updated: 0, skipped: 0 };
  const outcomes: Record<string, unknown>[] = [];
  const rejected: number[] = [];
  let key: string | undefined;
  let redirect: RedirectRow | null = null;
  let lastApplied: StagedRow | undefined;
  let applied = 0;

  function finishKey(): void {
    if (lastApplied && redirect) {
      outcomes.push(outcomeRow(lastApplied, redirect, applied > 1));
      counts.updated += applied - 1;
    }
    lastApplied = undefined;
    applied = 0;
  }

  function apply(row: StagedRow): void {
    if (row.key !== key) {
      finishKey();
      key = row.key;
      redirect = row.redirect && rowOf(row.redirect);
    }
    if (input.mode === 'skip' && redirect) {
      counts.skipped++;
      return;
    }
    const entry = redirect && input.decided ? decidedRow(row, input.decided) : row;
    const planned = planEntry(redirect, entry, website, admit, servesRules);
    if ('issue' in planned) {
      rejected.push(row.seq);
      return input.onError(rowError(row.line, row.oldPath ?? row.key, planned.issue));
    }
    redirect = planned.row;
    lastApplied = row;
    applied++;
  }

  const takeOutcomes = (): typeof outcomes => outcomes.splice(0);
  return { apply, finishKey, takeOutcomes, takeRejected: () => rejected.splice(0), counts };
}

/** Writes what a page of entries has become, so that memory does not grow with the file. */
async function writePage(reader: Queryable, table: SQL, replay: ReturnType<typeof createReplay>): Promise<void> {
  await stageOutcomes(reader, table, replay.takeOutcomes());
  await deleteRejected(reader, table, replay.takeRejected());
}

/** Deletes invalid entries: their errors have the verdict on them. */
async function deleteRejected(reader: Queryable, table: SQL, rejected: number[]): Promise<void> {
  if (rejected.length === 0) return;
  await reader.execute(sql`
    delete from ${table} s using unnest(${sql.param(rejected)}::int[]) as r(seq) where s.needs_replay and s.seq = r.seq`);
}

async function stageOutcomes(reader: Queryable, table: SQL, rows: Record<string, unknown>[]): Promise<void> {
  if (rows.length === 0) return;
  await reader.execute(sql`
    insert into ${table} select * from jsonb_populate_recordset(null::${table}, ${JSON.stringify(rows)}::jsonb)`);
}
