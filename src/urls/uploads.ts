/** Lists that arrive in several bodies: the parts are stored, and the commit merges them as one list. */
import { ofAccount } from '../accounts/quota.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { deleteInBatches, queryRows } from '../db/rows.ts';
import { newId } from '../platform/ids.ts';
import type { ImportDeps } from '../redirects/import/engine/import-request.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { DomainError, invalid } from '../vocabulary/error.ts';
import { requireEditableRow } from '../websites/website.ts';
import type { ListName } from './list.ts';
import { mergeStage, type PushOptions, type PushResult, withStage } from './push-list.ts';
import { addCounts, assertRows, type BodyCounts, emptyCounts, stageBody } from './read-body.ts';
import { RAW_URL, STAGE_COLUMNS, type Stage } from './stage.ts';
import { readUrlRules } from './url-rules.ts';

/** Open uploads of an account. */
const MAX_OPEN = 20;
/** Children of a sitemap index. */
const MAX_PARTS = 50_000;
/** The temporary table of a commit. */
const STAGE = 'upload_stage';
const LIFETIME = sql`interval '24 hours'`;
const DETAILS = sql`title, description, headline, clicks, links, flags, cut`;
/** The columns of a stored part after `n`; a stage has them too. */
const VALUES = sql`url, raw_url, ${DETAILS}`;

export interface Upload extends ListName {
  id: string;
  fromHosts: string[];
  createdAt: Date;
}

/** Opens an upload. Throws as readUrlRules, INSUFFICIENT_ROLE, and TOO_MANY_ITEMS if the account has 20 open ones. */
export async function openUpload(db: Db, actor: Actor, input: ListName & { fromHosts: string[] }): Promise<Upload> {
  const { websiteId, environment, list, fromHosts } = input;
  await requireEditableRow(db, actor, websiteId);
  await readUrlRules(db, actor, input);
  const [open] = await queryRows<{ count: number }>(db)`
    select count(*)::int as count from url_uploads
    where website_id in (select id from websites where ${ofAccount(actor)}) and created_at > now() - ${LIFETIME}`;
  if ((open?.count ?? 0) >= MAX_OPEN)
    throw invalid(
      'uploads',
      `the account has ${MAX_OPEN} open uploads; commit them, or wait until they end after 24 hours`,
      'TOO_MANY_ITEMS',
    );
  const id = newId('upl_');
  const [row] = await queryRows<{ createdAt: string }>(db)`
    insert into url_uploads (id, website_id, environment, list, from_hosts, actor_type, actor_id, actor_name)
    values (${id}, ${websiteId}, ${environment}, ${list}, ${sql.param(fromHosts)}, ${actor.type}, ${actor.id}, ${actor.name})
    returning created_at`;
  return { id, websiteId, environment, list, fromHosts, createdAt: new Date(row?.createdAt ?? 0) };
}

export interface PartInput {
  websiteId: number;
  uploadId: string;
  /** the same number replaces a part; the next one if absent */
  part?: number | undefined;
  path: string;
  maxBytes: number;
}

export interface StoredPart extends BodyCounts {
  part: number;
}

/** Stores a body as a part. Throws UPLOAD_NOT_FOUND, and as stageBody. */
export async function addPart(deps: ImportDeps, actor: Actor, input: PartInput): Promise<StoredPart> {
  await requireEditableRow(deps.db, actor, input.websiteId);
  const upload = await requireUpload(deps.db, input);
  const rules = await readUrlRules(deps.db, actor, upload);
  return withStage(deps, actor, async (stage) => {
    const counts = await stageBody(input.path, rules, stage, input.maxBytes);
    await stage.close();
    const store = (tx: Queryable) => storePart(tx, input, stage, counts);
    return { part: await deps.permits.withPermit(() => deps.permits.db.transaction(store)), ...counts };
  });
}

async function storePart(tx: Queryable, input: PartInput, stage: Stage, counts: BodyCounts): Promise<number> {
  const { uploadId, websiteId } = input;
  await requireUpload(tx, input, sql`for update`);
  await stage.assertIntact(tx);
  const [last] = await queryRows<{ next: number }>(tx)`
    select coalesce(max(part), 0) + 1 as next from url_upload_parts where upload_id = ${uploadId}`;
  const part = input.part ?? last?.next ?? 1;
  if (part > MAX_PARTS) throw invalid('part', `at most ${MAX_PARTS.toLocaleString('en')} parts`, 'TOO_MANY_ITEMS');
  const [others] = await queryRows<{ rows: number }>(tx)`
    select coalesce(sum((counts->>'rows')::int), 0) as rows from url_upload_parts
    where upload_id = ${uploadId} and part <> ${part}`;
  assertRows((others?.rows ?? 0) + counts.rows, 'upload');
  await tx.execute(sql`delete from url_upload_rows where upload_id = ${uploadId} and part = ${part}`);
  await tx.execute(sql`
    insert into url_upload_rows (upload_id, part, website_id, n, ${VALUES})
    select ${uploadId}, ${part}::int, ${websiteId}::int, n, url, ${RAW_URL}, ${DETAILS}
    from ${sql.identifier(stage.table)} s`);
  await queryRows(tx)`
    insert into url_upload_parts (upload_id, part, website_id, counts)
    values (${uploadId}, ${part}, ${websiteId}, ${JSON.stringify(counts)}::jsonb)
    on conflict (upload_id, part) do update set counts = excluded.counts`;
  return part;
}

/** Merges the parts in the order of their numbers. Throws UPLOAD_NOT_FOUND, EMPTY_BODY without parts, and as pushList. */
export async function commitUpload(
  deps: ImportDeps,
  actor: Actor,
  input: PushOptions & { websiteId: number; uploadId: string },
): Promise<PushResult> {
  await requireEditableRow(deps.db, actor, input.websiteId);
  return deps.permits.withTurn(actor.accountId, async () => {
    // In the account's turn: a commit that waited for another one finds no upload, rather than one without parts.
    const upload = await requireUpload(deps.db, input);
    const take = async (tx: Queryable): Promise<BodyCounts> => {
      // A part that another process stores waits, and then finds no upload.
      await requireUpload(tx, input, sql`for update`);
      const counts = await fillStage(tx, upload.id);
      if (!input.dryRun) await deleteUpload(tx, upload.id);
      return counts;
    };
    return mergeStage(deps, actor, { ...upload, ...input }, { table: STAGE, hasDuplicates: true }, take);
  });
}

/** Copies the rows of all parts to the table STAGE of the transaction. */
async function fillStage(tx: Queryable, uploadId: string): Promise<BodyCounts> {
  const parts = await queryRows<{ counts: BodyCounts }>(tx)`
    select counts from url_upload_parts where upload_id = ${uploadId} order by part`;
  if (parts.length === 0) {
    throw new DomainError('EMPTY_BODY', 'The upload has no parts', {
      details: 'upload: has no parts, so nothing was applied; send the list to .../parts, then commit',
    });
  }
  const total = emptyCounts();
  for (const { counts } of parts) addCounts(total, counts);
  const stage = sql.identifier(STAGE);
  await tx.execute(sql`create temporary table ${stage} (${sql.raw(STAGE_COLUMNS)}) on commit drop`);
  await tx.execute(sql`
    insert into ${stage} (n, ${VALUES})
    select row_number() over (order by part, r.n), ${VALUES} from url_upload_rows r where upload_id = ${uploadId}`);
  await tx.execute(sql`analyze ${stage}`);
  return total;
}

async function deleteUpload(tx: Queryable, id: string): Promise<void> {
  for (const table of ['url_upload_rows', 'url_upload_parts'])
    await tx.execute(sql`delete from ${sql.identifier(table)} where upload_id = ${id}`);
  await tx.execute(sql`delete from url_uploads where id = ${id}`);
}

async function requireUpload(
  db: Queryable,
  { uploadId, websiteId }: { uploadId: string; websiteId: number },
  lock = sql``,
): Promise<Upload> {
  const [row] = await queryRows<Omit<Upload, 'createdAt'> & { createdAt: string; environment: Environment }>(db)`
    select id, website_id, environment, list, from_hosts, created_at from url_uploads
    where id = ${uploadId} and website_id = ${websiteId} and created_at > now() - ${LIFETIME} ${lock}`;
  if (row) return { ...row, createdAt: new Date(row.createdAt) };
  throw new DomainError('UPLOAD_NOT_FOUND', 'Upload not found', {
    details: `upload: there is no open upload ${uploadId}; it was committed or is older than 24 hours, open another one (POST .../urls/uploads)`,
  });
}

/** Deletes uploads that have ended. Their rows go in short statements. */
export async function purgeUploads(db: Db): Promise<void> {
  const ended = await queryRows<{ id: string }>(db)`
    select id from url_uploads where created_at < now() - ${LIFETIME}`;
  for (const { id } of ended) {
    await deleteInBatches(db, 'url_upload_rows', sql`t.upload_id = ${id}`);
    await db.transaction((tx) => deleteUpload(tx, id));
  }
}
