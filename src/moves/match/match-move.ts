/** Computes the suggestions of a move, in batches that any process can go on with. Decisions are never touched. */
import type { Db } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../../db/errors.ts';
import { queryRows } from '../../db/rows.ts';
import { stopwatch } from '../../platform/clock.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import type { CandidateIndex } from '../../suggestions/candidates.ts';
import { learnNeighbours } from '../../suggestions/neighbours.ts';
import type { Page } from '../../suggestions/page-words.ts';
import { followRules } from '../../suggestions/rules/effect.ts';
import { learnRules } from '../../suggestions/rules/learn-rules.ts';
import { type Suggested, suggestFor, type SuggestOptions } from '../../suggestions/suggest.ts';
import type { IndexCache } from '../../urls/suggest/index-cache.ts';
import { readPages, textColumns } from '../../urls/suggest/read-candidates.ts';
import { withoutGone } from '../../urls/suggest/suggest-targets.ts';
import { CONFIDENCES } from '../../vocabulary/moves.ts';
import { type Claim, failMove, isHeld, releaseClaim, renewClaim } from './claim-move.ts';
import type { Move } from '../move.ts';
import { readRuleRows } from '../rules/rule-rows.ts';

const BATCH_SIZE = 200;
/** One call matches for so long, so that the moves of all accounts go on and a process stops soon. */
const MAX_MATCH_MS = 5_000;
/** Between two looks at the claim while the index is built. */
const INDEX_WAIT_MS = 1_000;
/** Learning has no batches that renew the lease. */
const RENEW_MS = 20_000;

export interface MatchDeps {
  db: Db;
  streams: Db;
  indexes: IndexCache;
}

/** A claimed move, and the options of its website. */
type MatchedMove = Claim &
  MatchOptions &
  Pick<Move, 'id' | 'websiteId' | 'generation' | 'source' | 'toWebsiteId' | 'candidates' | 'decided'> & {
    accountId: number;
    isMatched: boolean;
  };

interface Matched extends Suggested {
  url: string;
}

/** Matches rows of a claimed move, those of the greatest weight first, until it is done, its time is over or its claim is lost. */
export async function matchMove(deps: MatchDeps, claim: Claim): Promise<void> {
  try {
    const move = await readMove(deps.db, claim);
    if (!move) return;
    const index = await openIndex(deps, move);
    if (index) await (move.isMatched ? learnAgain(deps, move, index) : matchRows(deps, move, index));
  } catch (error) {
    // A retry may succeed: the next claim comes when the lease has expired.
    if (!isDatabaseUnavailable(error) && !isLockTimeout(error)) await failMove(deps.db, claim);
    throw error;
  }
}

async function readMove(db: Db, { moveId, lease }: Claim): Promise<MatchedMove | undefined> {
  const [move] = await queryRows<MatchedMove>(db)`
    select m.id, m.id as move_id, m.lease, m.website_id, w.account_id, m.generation, m.source, m.to_website_id,
      m.candidates, m.matched >= m.rows as is_matched, m.decided, w.case_sensitive, w.trailing_slash, w.query
    from moves m join websites w on w.id = m.website_id where m.id = ${moveId} and m.lease = ${lease}`;
  return move;
}

/** Undefined if the claim is lost while the index is built. */
async function openIndex({ db, streams, indexes }: MatchDeps, move: MatchedMove): Promise<CandidateIndex | undefined> {
  const { moveId, generation, accountId, candidates } = move;
  const query = sql`select url, ${textColumns(candidates)} from move_candidates where move_id = ${moveId}`;
  // The cache may return an index of another token, which would be that of former candidates.
  const wanted = { accountId, key: `move ${moveId} ${generation}`, token: '', read: () => readPages(streams, query) };
  while (await renewClaim(db, move)) {
    const index = await indexes.get(wanted, INDEX_WAIT_MS);
    if (index) return index;
  }
  return undefined;
}

async function matchRows(deps: MatchDeps, move: MatchedMove, index: CandidateIndex): Promise<void> {
  const startedAt = stopwatch();
  const isOver = (): boolean => stopwatch() - startedAt > MAX_MATCH_MS;
  const pages = pagesOf(deps.streams, move, sql`generation < ${move.generation}::int`);
  if (await writeSuggestions(deps.db, move, suggestions(move, index, pages), isOver)) await releaseClaim(deps.db, move);
}

/** Matches undecided rows again for which rules or neighbours name a target. */
async function learnAgain(deps: MatchDeps, move: MatchedMove, index: CandidateIndex): Promise<void> {
  const renewing = setInterval(() => void renewClaim(deps.db, move).catch(() => {}), RENEW_MS);
  const options = await learnFrom(deps.streams, move).finally(() => clearInterval(renewing));
  const pages = pagesOf(deps.streams, move, sql`decision is null`);
  const isNamed = ({ url }: Page): boolean => (options.rules?.(url) ?? options.neighbours?.(url) ?? null) !== null;
  const found = suggestions(move, index, pages, { ...options, isNamed });
  if (await writeSuggestions(deps.db, move, found, () => false)) await releaseClaim(deps.db, move, move.decided);
}

/** Returns the rules and neighbours that the decided rows of a move show. */
async function learnFrom(streams: Db, move: MatchedMove): Promise<SuggestOptions> {
  const read = await readRuleRows(streams, move, move);
  const rules = followRules(await learnRules(read), move);
  const redirects = read.decided.flatMap(({ url, target }) => (target === null ? [] : [{ url, target }]));
  return { rules, neighbours: learnNeighbours(redirects) };
}

const pagesOf = (db: Db, { moveId }: Claim, condition: SQL): AsyncGenerator<Page> =>
  readPages(
    db,
    sql`select url, title, headline, description from move_rows where move_id = ${moveId} and ${condition}
      order by weight desc, url`,
  );

async function* suggestions(
  { source, toWebsiteId }: MatchedMove,
  index: CandidateIndex,
  pages: AsyncIterable<Page>,
  { isNamed = () => true, ...options }: SuggestOptions & { isNamed?: (page: Page) => boolean } = {},
): AsyncGenerator<Matched[]> {
  const slice = createTimeSlice();
  const mayBeGone = source.to.areAllPages || toWebsiteId !== null;
  let batch: Matched[] = [];
  for await (const page of pages) {
    if (slice.isOver()) await slice.yield();
    if (!isNamed(page)) continue;
    const found = suggestFor(index, page, options);
    batch.push({ url: page.url, ...(mayBeGone ? found : withoutGone(found)) });
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Writes each batch while the next one is computed. False if the claim is lost. */
async function writeSuggestions(
  db: Db,
  move: MatchedMove,
  batches: AsyncIterable<Matched[]>,
  isOver: () => boolean,
): Promise<boolean> {
  let written = Promise.resolve(true);
  try {
    for await (const batch of batches) {
      if (!(await written)) return false;
      written = writeBatch(db, move, batch);
      // An error is thrown by the next await.
      written.catch(() => {});
      if (isOver()) break;
    }
  } finally {
    await written.catch(() => {});
  }
  return written;
}

/** One short statement: it renews the lease, and writes nothing if that is lost. */
async function writeBatch(db: Db, move: MatchedMove, batch: Matched[]): Promise<boolean> {
  const column = (value: (row: Matched) => unknown) => sql.param(batch.map(value));
  const added = move.isMatched ? 0 : batch.length;
  const held = await queryRows(db)`
    with held as (
      update moves set matched = matched + ${added}::int, lease_until = now() + interval '60 seconds'
      where ${isHeld(move)} returning id),
    v as materialized (
      select * from unnest(${column(({ url }) => url)}::text[], ${column(({ suggested }) => suggested)}::text[],
        ${column(({ confidence }) => confidence && CONFIDENCES.indexOf(confidence))}::smallint[],
        ${column(({ reasons, suggestions: found }) => JSON.stringify({ reasons, suggestions: found }))}::text[])
        as v(url, suggested, confidence, found)),
    written as (
      update move_rows r set generation = ${move.generation}::int, suggested = v.suggested, confidence = v.confidence
      from v where r.move_id = (select id from held) and r.url = v.url returning r.move_id, r.url, r.website_id, v.found),
    stored as (
      insert into move_suggestions (move_id, url, website_id, found)
      select move_id, url, website_id, found::jsonb from written
      on conflict (move_id, url) do update set found = excluded.found)
    select id from held`;
  return held.length === 1;
}
