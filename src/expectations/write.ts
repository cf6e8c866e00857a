/** Replaces or adds expectations from a body. Every write of a website waits for the one before. */
import type { PoolClient } from 'pg';
import { LOCKS } from '../db/advisory-lock.ts';
import { type Db, type Queryable, queryableOf, withClient } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { outdateResults } from '../deployments/gate/results.ts';
import type { ImportDeps } from '../redirects/import/engine/import-request.ts';
import { assertMayDelete, type MaxDelete } from '../rules/max-delete.ts';
import { hostTableOf } from '../resolver/host-table.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { DomainError, invalid } from '../vocabulary/error.ts';
import { PLANS } from '../vocabulary/plan.ts';
import { requireEditableRow, requireRoleAt, requireWebsite } from '../websites/website.ts';
import { writeTransaction } from '../websites/write-website.ts';
import { requireKey } from './check-expectation.ts';
import { type BodyFormat, invalidEntries, type InvalidEntry, MAX_SHOWN, readExpectations } from './read-body.ts';
import { createStage, type Stage } from './stage.ts';

/** Expectations of one website on any plan. */
const MAX_EXPECTATIONS = 1_000_000;
/** Expectations of one body that adds or updates. */
const MAX_ADDED = 10_000;

export interface WriteInput {
  websiteId: number;
  format: BodyFormat;
  /** deletes the expectations that the body does not have; otherwise they stay */
  replaces: boolean;
  /** the most that may be deleted; as of a sync if absent */
  maxDelete?: MaxDelete | undefined;
}

export interface WriteCounts {
  created: number;
  updated: number;
  deleted: number;
}

/**
 * Applies a body of expectations as a whole. If it throws, nothing was applied: VALIDATION_ERROR for invalid entries and
 * for one URL twice, TOO_MANY_ITEMS, TOO_MANY_DELETES, PLAN_LIMIT_EXCEEDED, WEBSITE_NOT_FOUND, and BUSY.
 */
export async function writeExpectations(
  { db, permits, instanceId }: ImportDeps,
  actor: Actor,
  input: WriteInput,
  body: AsyncIterable<Buffer>,
): Promise<WriteCounts> {
  const hosts = hostTableOf((await requireWebsite(db, actor, input.websiteId)).hosts);
  await requireRoleAt(db, actor, input.websiteId, 'editor');
  return permits.withTurn(actor.accountId, async () => {
    const stage = createStage(permits.db, instanceId);
    try {
      let [count, entries] = [0, 0];
      for await (const batch of readExpectations(body, input.format, hosts)) {
        count += batch.count;
        entries += batch.valid.length;
        assertCount(actor, count, input.replaces);
        await stage.write(batch.valid);
      }
      await stage.close();
      return await permits.withPermit(() => mergeStage(permits.db, actor, input, { stage, count, entries }));
    } finally {
      // If this fails too, dropOrphanedStages drops the table after the process ends.
      await stage.drop().catch(() => {});
    }
  });
}

function assertCount(actor: Actor, count: number, replaces: boolean): void {
  if (!replaces && count > MAX_ADDED) {
    throw invalid(
      'expectations',
      'at most 10,000 in one call, and blank lines count; replace all of the website instead',
      'TOO_MANY_ITEMS',
    );
  }
  assertRoom(actor, count);
}

/** Throws if a website has too many expectations: PLAN_LIMIT_EXCEEDED or TOO_MANY_ITEMS. */
export async function assertExpectationRoom(tx: Queryable, actor: Actor, websiteId: number): Promise<void> {
  assertRoom(actor, await countUpTo(tx, websiteId, MAX_EXPECTATIONS + 1));
}

/** Throws if a website may not have this many expectations: as many as the plan has redirects, at most 1,000,000. */
function assertRoom({ plan }: Actor, count: number): void {
  if (count > MAX_EXPECTATIONS) {
    throw invalid(
      'expectations',
      'a website has at most 1,000,000, and blank lines count; nothing was applied',
      'TOO_MANY_ITEMS',
    );
  }
  const max = PLANS[plan].maxRedirects;
  if (count <= max) return;
  throw new DomainError('PLAN_LIMIT_EXCEEDED', "The website exceeds the plan's limit", {
    details: `expectations: the ${plan} plan has ${max.toLocaleString('en')} in a website, and blank lines count; nothing was applied, send fewer or change the plan`,
  });
}

async function mergeStage(
  db: Db,
  actor: Actor,
  { websiteId, replaces, maxDelete }: WriteInput,
  { stage, count, entries }: { stage: Stage; count: number; entries: number },
): Promise<WriteCounts> {
  const counts = await withClient(db, async (client) => {
    if (stage.hasDuplicates) await assertUnique(client, stage, count);
    await client.query('begin');
    const tx = queryableOf(client);
    await lockExpectations(tx, websiteId);
    // The body may have taken long to arrive.
    await requireEditableRow(tx, actor, websiteId);
    await stage.assertIntact(tx);
    const total = replaces ? await countUpTo(tx, websiteId, MAX_EXPECTATIONS + 1) : 0;
    const merged = await merge(tx, websiteId, stage, replaces);
    if (replaces) {
      const { deleted } = merged;
      const remedy = `, then send max_delete=${deleted}`;
      assertMayDelete({ deleted, total, entries }, maxDelete, { call: 'body', what: 'expectations', remedy });
    }
    if (!replaces && merged.created > 0) await assertExpectationRoom(tx, actor, websiteId);
    if (merged.created + merged.updated > 0) await outdateResults(tx, websiteId);
    await client.query('commit');
    return merged;
  });
  if (counts.created + counts.updated >= ANALYZE_THRESHOLD) await db.execute(sql`analyze expectations`);
  return counts;
}

/** Changed rows that renew the statistics at once, which autovacuum would do later. */
const ANALYZE_THRESHOLD = 10_000;
/** Repetitions that an error lists. */
const MAX_REPETITIONS = 1_000;

async function assertUnique(client: PoolClient, { table }: Stage, count: number): Promise<void> {
  const rows = await queryRows<{ index: number; first: number; url: string; total: number }>(queryableOf(client))`
    select index, first, url, count(*) over () as total from (
      select index, url, min(index) over (partition by environment, key) as first from ${sql.identifier(table)}) s
    where index > first order by index limit ${MAX_REPETITIONS}`;
  if (rows.length === 0) return;
  const errors = rows.map(({ index, first, url }): InvalidEntry => {
    const message = `url is the same as that of entry ${first}, for the same environment; keep one`;
    return { index, url: url.slice(0, MAX_SHOWN), field: 'url', code: 'VALIDATION_ERROR', message };
  });
  throw invalidEntries(errors, rows[0]?.total ?? rows.length, count);
}

/** Waits for other writers of the website's expectations, and for a deployment that checks them. */
async function lockExpectations(tx: Queryable, websiteId: number): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.expectations}::int, ${websiteId}::int)`);
}

/** Everything is set-based. Unchanged rows are not written. */
async function merge(tx: Queryable, websiteId: number, { table }: Stage, replaces: boolean): Promise<WriteCounts> {
  const stage = sql.identifier(table);
  const changed = async (statement: ReturnType<typeof sql>): Promise<number> =>
    (await tx.execute(statement)).rowCount ?? 0;
  await tx.execute(sql`set local work_mem = '64MB'`);
  const deleted = replaces
    ? await changed(sql`
        delete from expectations e where e.website_id = ${websiteId} and not exists (
          select 1 from ${stage} s where s.environment = e.environment and s.key = e.key)`)
    : 0;
  const updated = await changed(sql`
    update expectations e set url = s.url, status_code = s.status_code, location = s.location, final = s.final,
      change_id = null, holds = null, result_since = null, actual = null
    from ${stage} s where e.website_id = ${websiteId} and e.environment = s.environment and e.key = s.key
      and (e.url, e.status_code, e.location, e.final) is distinct from (s.url, s.status_code, s.location, s.final)`);
  const created = await changed(sql`
    insert into expectations (website_id, environment, key, url, status_code, location, final)
    select ${websiteId}::int, s.environment, s.key, s.url, s.status_code, s.location, s.final from ${stage} s
    where not exists (select 1 from expectations e
      where e.website_id = ${websiteId} and e.environment = s.environment and e.key = s.key)
    order by s.environment, s.key`);
  return { created, updated, deleted };
}

async function countUpTo(tx: Queryable, websiteId: number, max: number): Promise<number> {
  const [row] = await queryRows<{ count: number }>(tx)`
    select count(*) as count from (select 1 from expectations where website_id = ${websiteId} limit ${max}) e`;
  return row?.count ?? 0;
}

/** Deletes one expectation. Throws EXPECTATION_NOT_FOUND if the website has none of this URL in the environment. */
export async function deleteExpectation(
  db: Db,
  actor: Actor,
  { websiteId, url, environment }: { websiteId: number; url: string; environment: Environment },
): Promise<void> {
  const key = requireKey(url);
  await writeTransaction(db, actor, async (tx) => {
    await requireEditableRow(tx, actor, websiteId);
    await lockExpectations(tx, websiteId);
    const { rowCount } = await tx.execute(sql`
      delete from expectations where website_id = ${websiteId} and environment = ${environment} and key = ${key}`);
    if (rowCount) return;
    throw new DomainError('EXPECTATION_NOT_FOUND', 'Expectation not found', {
      details: `url: the website expects nothing of this URL in ${environment}`,
    });
  });
}
