import type { Queryable } from '../../db/connection/client.ts';
import { inlineSql } from '../../db/copy/copy-rows.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createUrlSet, type UrlSet } from '../../deployments/gate/urls/url-set.ts';
import { statedUrls } from '../../deployments/gate/urls/url-weight.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import { canonicalTarget } from '../../suggestions/rules/rewrite.ts';
import type { DecidedRow, MoveRows } from '../../suggestions/rules/rows.ts';
import type { Move } from '../move.ts';

export interface RuleRows extends MoveRows {
  decided: DecidedRow[];
  undecided: string[];
}

/**
 * Reads the rows of a move and the pages that rules of it must not answer: its candidates on this website, and the
 * living pages. If the candidates are not the living pages of this website, then a row may still live there; its own
 * decision counts. Needs a transaction. Candidates and pages are outside of the heap.
 */
export async function readRuleRows(tx: Queryable, move: Move, website: MatchOptions): Promise<RuleRows> {
  const decided: DecidedRow[] = [];
  const undecided: string[] = [];
  const rows = sql`select r.url, r.decision, r.target from move_rows r where r.move_id = ${move.id}`;
  await fetchAll<Omit<DecidedRow, 'decision'> & { decision: DecidedRow['decision'] | null }>(
    tx,
    rows,
    ({ url, decision, target }) =>
      void (decision === null ? undecided.push(url) : decided.push({ url, decision, target })),
  );
  const candidates = createUrlSet(move.candidates);
  const living = createUrlSet();
  await fetchAll(tx, sql`select c.url from move_candidates c where c.move_id = ${move.id}`, ({ url }) => {
    const target = canonicalTarget(url);
    candidates.put(target, 'living', 0);
    if (target.startsWith('/')) living.put(target.replace(/#.*$/s, ''), 'living', 0);
  });
  const { websiteId } = move;
  const isLivingTarget = move.toWebsiteId === null && move.source.to.kind === 'living';
  const isRow = sql`exists (select from move_rows r where r.move_id = ${move.id} and r.url = v.url)`;
  const stated = sql`select v.url from (${statedUrls({ websiteId, environment: 'production' })}) v
    where v.state = 0 ${isLivingTarget ? sql`` : sql`and not ${isRow}`}`;
  await fetchAll(tx, stated, ({ url }) => living.put(url, 'living', 0));
  return {
    decided,
    undecided,
    living: textsOf(living),
    isCandidate: (target) => candidates.indexOf(canonicalTarget(target)) >= 0,
    website,
  };
}

const BATCH_SIZE = 2_000;

async function fetchAll<Row extends { url: string }>(
  tx: Queryable,
  query: SQL,
  take: (row: Row) => void,
): Promise<void> {
  const slice = createTimeSlice();
  await tx.execute(sql`declare fetched cursor for ${sql.raw(inlineSql(query))}`);
  for (let isEnd = false; !isEnd;) {
    const rows = await queryRows<Row>(tx)`fetch ${sql.raw(String(BATCH_SIZE))} from fetched`;
    for (const row of rows) {
      if (slice.isOver()) await slice.yield();
      take(row);
    }
    isEnd = rows.length < BATCH_SIZE;
  }
  await tx.execute(sql`close fetched`);
}

const textsOf = (set: UrlSet): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (let at = 0; at < set.size; at++) yield set.text(at);
  },
});
