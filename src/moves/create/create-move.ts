/** Creates moves, and renews their candidates. */
import type { Db, Queryable } from '../../db/connection/client.ts';
import { LOCKS } from '../../db/advisory-lock.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { LiveRules } from '../../deployments/live/live-registry.ts';
import type { UrlBatch } from '../../formats/read/urls/url-row.ts';
import { newId } from '../../platform/ids.ts';
import type { ImportDeps } from '../../redirects/import/engine/import-request.ts';
import { ALL_PARAMETERS } from '../../rules/url-key.ts';
import { type BodyCounts, emptyCounts, stageBatches } from '../../urls/read-body.ts';
import { unlessLocked } from '../../urls/lock.ts';
import { candidatesOf } from '../../urls/suggest/read-candidates.ts';
import { urlRulesOf, readUrlRules } from '../../urls/url-rules.ts';
import { useListMemory } from '../../urls/merge-list.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { MAX_MOVE_ROWS, MAX_OPEN_MOVES } from '../../vocabulary/moves.ts';
import { requireEditableRow, requireRoleAt, requireWebsite, type Website } from '../../websites/website.ts';
import { lockMove, type Move, type MoveFilter, type MovePlace, type MoveSource, requireMove } from '../move.ts';
import {
  type CandidateSource,
  createPageStage,
  livingSource,
  type PageStage,
  stageListed,
  stagePages,
  writeCandidates,
} from './stage-candidates.ts';
import { createRowStage, insertRows, type RowStage, stageFound } from './stage-rows.ts';
import { findTargetWebsite, type TargetWebsite } from './target-website.ts';

/** New rows that renew the statistics at once: the first matching would read whole tables without them. */
const ANALYZE_THRESHOLD = 10_000;

export interface CreateInput {
  websiteId: number;
  name: string;
  fromHosts: string[];
  /** the URLs of a list; undefined: URLs of the website */
  from: { kind: 'urls' | 'file'; read: () => AsyncIterable<UrlBatch> | Iterable<UrlBatch> } | undefined;
  /** of URLs of the website; undefined: the lost ones */
  filter: MoveFilter | undefined;
  /** the pages of a list; undefined: living pages */
  to: { read: () => AsyncIterable<UrlBatch> | Iterable<UrlBatch> } | undefined;
  /** the website of the living pages, by its id or a host; neither: this website */
  toWebsite: { id?: number | undefined; host?: string | undefined };
}

export interface MoveDeps extends ImportDeps {
  streams: Db;
}

interface Rules {
  live: LiveRules | undefined;
  now: Date;
}

/** Rows of the list that the move does not have are counted in `unused`. */
export interface CreatedMove {
  move: Move;
  unused: BodyCounts;
}

/**
 * Creates a move, whose suggestions are computed in the background. Throws, and stores nothing, WEBSITE_NOT_FOUND,
 * INSUFFICIENT_ROLE, TARGET_HOST_NOT_ALLOWED, TOO_MANY_MOVES, TOO_MANY_URLS, NO_OWN_URL, EMPTY_BODY, BUSY, and as
 * readUrlList.
 */
export async function createMove(deps: MoveDeps, actor: Actor, input: CreateInput, at: Rules): Promise<CreatedMove> {
  const website = await requireWebsite(deps.db, actor, input.websiteId);
  await requireRoleAt(deps.db, actor, website.id, 'editor');
  await assertRoom(deps.db, website.id);
  const target = input.to ? undefined : await findTargetWebsite(deps.db, actor, website, input.toWebsite);
  return withStages(deps, actor, website, async (rowStage, pageStage) => {
    const unused = await stageRows(deps, actor, website, input, at, rowStage);
    const kind = input.to ? 'file' : 'living';
    if (input.to) await stageListed(input.to.read(), urlRulesOf(website), website.allowedTargetHosts, pageStage);
    const pages = await openSource(deps, website.id, { kind, target, live: at.live }, pageStage);
    const id = newId('mov_');
    const source: MoveSource = {
      from: { kind: input.from?.kind ?? (input.filter ? 'filter' : 'lost'), fromHosts: input.fromHosts },
      to: { kind, areAllPages: pages.areAllPages },
    };
    if (input.filter) source.from.filter = input.filter;
    const store = (tx: Queryable): Promise<void> =>
      insertMove(tx, actor, { id, name: input.name, website, target, source }, rowStage, pages);
    await deps.permits.withPermit(() => deps.permits.db.transaction(store));
    const move = await requireMove(deps.db, actor, { websiteId: website.id, moveId: id });
    if (move.rows + move.candidates >= ANALYZE_THRESHOLD)
      await unlessLocked(async () => void (await deps.permits.db.execute(sql`analyze move_rows, move_candidates`)));
    return { move, unused };
  });
}

function withStages<T>(
  { permits, instanceId }: MoveDeps,
  { accountId }: Actor,
  { pageParameters }: Pick<Website, 'pageParameters'>,
  work: (rows: RowStage, pages: PageStage) => Promise<T>,
): Promise<T> {
  return permits.withTurn(accountId, async () => {
    const rows = createRowStage(permits.db, instanceId, new Set(pageParameters));
    const pages = createPageStage(permits.db, instanceId);
    try {
      return await work(rows, pages);
    } finally {
      // If this fails too, dropOrphanedStages drops the tables after the process ends.
      for (const stage of [rows, pages]) await stage.drop().catch(() => {});
    }
  });
}

async function stageRows(
  deps: MoveDeps,
  actor: Actor,
  { id: websiteId, pageParameters }: Website,
  { from, filter, fromHosts }: CreateInput,
  at: Rules,
  stage: RowStage,
): Promise<BodyCounts> {
  let unused = emptyCounts();
  const rules = await readUrlRules(deps.db, actor, { websiteId, fromHosts });
  if (from) {
    unused = await stageBatches(from.read(), { ...rules, pageParameters: ALL_PARAMETERS }, stage, 'from');
  } else {
    const found = { websiteId, environment: 'production' as const, answered: 'lost' as const, ...filter };
    await stageFound(deps.streams, actor, found, at, { write: stage.write, pageParameters });
  }
  if (stage.count === 0) throw noRows(from !== undefined, unused);
  await stage.close();
  return unused;
}

function noRows(isList: boolean, { invalidExamples: [first] }: BodyCounts): DomainError {
  const problem = !isList
    ? 'the filter finds no URL of the website; change it, or push URLs first (POST .../urls)'
    : first
      ? `has no valid URL; the first one, ${JSON.stringify(first.value)}, is ${first.code}`
      : 'has no URL; send at least one';
  return new DomainError('EMPTY_BODY', 'The move would have no rows', { details: `from: ${problem}` });
}

interface OpenSource extends CandidateSource {
  areAllPages: boolean;
  /** of staged pages */
  assertIntact?: PageStage['assertIntact'];
}

/** Closes the stage. A website without a list of living pages has the targets of its live rules. */
async function openSource(
  { db, streams }: MoveDeps,
  websiteId: number,
  { kind, target, live }: { kind: 'living' | 'file'; target: TargetWebsite | undefined; live: LiveRules | undefined },
  stage: PageStage,
): Promise<OpenSource> {
  const place = { websiteId: target?.websiteId ?? websiteId, environment: 'production' as const };
  const candidates = kind === 'living' ? await candidatesOf(streams, place, live) : undefined;
  if (candidates?.areAllPages)
    return { ...(await livingSource(db, place.websiteId, target?.host ?? null)), areAllPages: true };
  if (target) {
    const details = `to: website ${target.websiteId} has no list of living pages; push one first (PUT .../urls/living)`;
    throw new DomainError('EMPTY_BODY', 'The move would have no candidates', { details });
  }
  if (candidates) await stagePages(candidates.read(), stage);
  await stage.close();
  return { ...stage.source(), areAllPages: kind === 'file', assertIntact: stage.assertIntact };
}

interface NewMove {
  id: string;
  name: string;
  website: Website;
  target: TargetWebsite | undefined;
  source: MoveSource;
}

async function insertMove(
  tx: Queryable,
  actor: Actor,
  { id, name, website, target, source }: NewMove,
  stage: RowStage,
  pages: OpenSource,
): Promise<void> {
  await useListMemory(tx);
  const place = { moveId: id, websiteId: website.id };
  await stage.assertIntact(tx);
  await pages.assertIntact?.(tx);
  const { rows, weight } = await insertRows(tx, place, stage);
  if (rows > MAX_MOVE_ROWS) throw tooManyRows(rows);
  const candidates = await writeCandidates(tx, place, pages);
  // At the end, because others of the website wait for it.
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.moves}::int, ${website.id}::int)`);
  await requireEditableRow(tx, actor, website.id);
  await assertRoom(tx, website.id);
  await queryRows(tx)`
    insert into moves (id, website_id, name, state, source, to_website_id, to_host, rows, merged, candidates, left_out, weight,
      actor_type, actor_id, actor_name)
    values (${id}, ${website.id}, ${name}, 'matching', ${JSON.stringify(source)}::jsonb, ${target?.websiteId ?? null},
      ${target?.host ?? null}, ${rows}, ${stage.count - rows}, ${candidates}, ${pages.leftOut}, ${weight},
      ${actor.type}, ${actor.id}, ${actor.name})`;
}

async function assertRoom(db: Queryable, websiteId: number): Promise<void> {
  const [open] = await queryRows<{ count: number }>(db)`
    select count(*)::int as count from moves where website_id = ${websiteId} and applied_at is null`;
  if ((open?.count ?? 0) < MAX_OPEN_MOVES) return;
  throw new DomainError('TOO_MANY_MOVES', 'The website has too many open moves', {
    details: `moves: at most ${MAX_OPEN_MOVES} that were not applied; apply or delete one`,
  });
}

function tooManyRows(rows: number): DomainError {
  return new DomainError('TOO_MANY_URLS', 'The move would have too many rows', {
    details: `from: at most 200,000 URLs, and this has ${rows.toLocaleString('en')}; nothing was applied, divide them over several moves`,
  });
}

/**
 * Renews the candidates of a move from living pages, and computes all suggestions again. Decisions stay. Throws
 * MOVE_NOT_FOUND, and as createMove.
 */
export async function refreshMove(deps: MoveDeps, actor: Actor, place: MovePlace, at: Rules): Promise<Move> {
  const website = await requireWebsite(deps.db, actor, place.websiteId);
  await requireRoleAt(deps.db, actor, website.id, 'editor');
  const { source, toWebsiteId, toHost } = await requireMove(deps.db, actor, place);
  const to = toWebsiteId === null ? {} : { id: toWebsiteId, host: toHost ?? undefined };
  const target = await findTargetWebsite(deps.db, actor, website, to);
  return withStages(deps, actor, website, async (_rows, stage) => {
    const { kind } = source.to;
    const pages =
      kind === 'file' ? undefined : await openSource(deps, website.id, { kind, target, live: at.live }, stage);
    await deps.permits.withPermit(() => deps.permits.db.transaction((tx) => restart(tx, actor, place, pages)));
    return requireMove(deps.db, actor, place);
  });
}

async function restart(tx: Queryable, actor: Actor, place: MovePlace, pages: OpenSource | undefined): Promise<void> {
  await useListMemory(tx);
  await pages?.assertIntact?.(tx);
  const candidates = pages && (await writeCandidates(tx, place, pages));
  // At the end, because writers of rows wait for it.
  const move = await lockMove(tx, actor, place);
  const source = pages ? { ...move.source, to: { ...move.source.to, areAllPages: pages.areAllPages } } : move.source;
  await queryRows(tx)`
    update moves set state = 'matching', error = null, generation = generation + 1, matched = 0, learnt_from = 0, lease = null,
      lease_until = null, candidates = ${candidates ?? move.candidates}, left_out = ${pages?.leftOut ?? move.leftOut},
      source = ${JSON.stringify(source)}::jsonb
    where id = ${place.moveId}`;
}
