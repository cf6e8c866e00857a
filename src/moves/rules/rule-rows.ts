import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { fetchRows } from '../../db/rows.ts';
import { createUrlSet, type UrlSet } from '../../deployments/gate/urls/url-set.ts';
import { statedUrls } from '../../deployments/gate/urls/url-weight.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import { canonicalTarget } from '../../suggestions/rules/rewrite.ts';
import type { DecidedRow, MoveRows } from '../../suggestions/rules/rows.ts';
import type { Move } from '../move.ts';

/** A row as it was read. */
export interface ReadRow extends Pick<DecidedRow, 'url' | 'target'> {
  decision: DecidedRow['decision'] | null;
  revision: number;
}

export interface RuleRows extends MoveRows {
  rows: ReadRow[];
  decided: DecidedRow[];
}

/**
 * Reads the rows of a move and the pages that rules of it must not answer: its candidates on this website, and the
 * living pages. If the candidates are not the living pages of this website, then a row may still live there; its own
 * decision counts. Candidates and pages are outside of the heap.
 */
export async function readRuleRows(
  streams: Db,
  move: Pick<Move, 'id' | 'websiteId' | 'toWebsiteId' | 'source' | 'candidates'>,
  website: MatchOptions,
): Promise<RuleRows> {
  const isOfMove = sql`r.move_id = ${move.id}`;
  const isLivingTarget = move.toWebsiteId === null && move.source.to.kind === 'living';
  const isRow = sql`exists (select from move_rows r where ${isOfMove} and r.url = v.url)`;
  const stated = statedUrls({ websiteId: move.websiteId, environment: 'production' });
  const candidates = createUrlSet(move.candidates);
  const living = createUrlSet();
  const rows: ReadRow[] = [];
  const read = async (tx: Queryable): Promise<void> => {
    const stored = sql`select r.url, r.decision, r.target, r.revision from move_rows r where ${isOfMove} order by r.url`;
    for await (const row of eachRow<ReadRow>(tx, stored)) rows.push(row);
    const pages = sql`select c.url from move_candidates c where c.move_id = ${move.id}`;
    for await (const { url } of eachRow<{ url: string }>(tx, pages)) {
      const target = canonicalTarget(url);
      candidates.put(target, 'living', 0);
      if (target.startsWith('/')) living.put(target.replace(/#.*$/s, ''), 'living', 0);
    }
    const own = sql`select v.url from (${stated}) v
      where v.state = 0 ${isLivingTarget ? sql`` : sql`and not ${isRow}`}`;
    for await (const { url } of eachRow<{ url: string }>(tx, own)) living.put(url, 'living', 0);
  };
  await streams.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' });
  return {
    rows,
    decided: rows.filter((row): row is ReadRow & DecidedRow => row.decision !== null),
    undecided: rows.flatMap(({ url, decision }) => (decision === null ? [url] : [])),
    living: textsOf(living),
    isCandidate: (target) => candidates.indexOf(canonicalTarget(target)) >= 0,
    website,
  };
}

const BATCH_SIZE = 2_000;

/** Yields to the event loop between rows. */
async function* eachRow<Row>(tx: Queryable, query: SQL): AsyncGenerator<Row> {
  const slice = createTimeSlice();
  for await (const rows of fetchRows<Row>(tx, query, BATCH_SIZE)) {
    for (const row of rows) {
      if (slice.isOver()) await slice.yield();
      yield row;
    }
  }
}

const textsOf = (set: UrlSet): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (let at = 0; at < set.size; at++) yield set.text(at);
  },
});
