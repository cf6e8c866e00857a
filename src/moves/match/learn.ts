/** Learns from the decided rows of a move for the others. */
import { type Db, type Queryable, withClient } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { readUrls } from '../../deployments/gate/urls/read-urls.ts';
import { type CandidateIndex, findSpelling, urlOf } from '../../suggestions/candidates.ts';
import { learnNeighbours } from '../../suggestions/neighbours.ts';
import { followRules } from '../../suggestions/rules/effect.ts';
import { learnRules } from '../../suggestions/rules/learn-rules.ts';
import type { DecidedRow, MoveRows } from '../../suggestions/rules/rows.ts';
import type { SuggestOptions } from '../../suggestions/suggest.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import type { MoveSource } from '../move.ts';

interface LearntMove {
  moveId: string;
  websiteId: number;
  toWebsiteId: number | null;
  source: MoveSource;
}

/** Returns the rules and neighbours that the decided rows of a move show. Yields to the event loop. */
export async function learnFrom(
  { streams }: { streams: Db },
  move: LearntMove,
  index: CandidateIndex,
): Promise<SuggestOptions> {
  const rows = await readMoveRows(streams, move, index);
  const rules = await learnRules(rows);
  const redirects: { url: string; target: string }[] = [];
  for (const { url, target } of rows.decided) if (target !== null) redirects.push({ url, target });
  return { rules: followRules(rules, rows.website), neighbours: learnNeighbours(redirects) };
}

/** Reads the rows of a move with the pages around it. `index` is that of its candidates. */
async function readMoveRows(
  streams: Db,
  { moveId, websiteId, toWebsiteId, source }: LearntMove,
  index: CandidateIndex,
): Promise<MoveRows & { decided: DecidedRow[]; undecided: string[] }> {
  const decided = await queryRows<DecidedRow>(streams)`
    select url, decision, target from move_rows where move_id = ${moveId} and decision is not null order by url`;
  const undecided = await queryRows<{ url: string }>(streams)`
    select url from move_rows where move_id = ${moveId} and decision is null order by url`;
  const isOfCandidates = toWebsiteId === null && source.to.kind === 'living' && source.to.areAllPages;
  return {
    decided,
    undecided: undecided.map(({ url }) => url),
    living: isOfCandidates ? candidateUrls(index) : await livingUrls(streams, websiteId),
    isCandidate(target) {
      const found = findSpelling(index, target);
      return found >= 0 && urlOf(index, found) === target;
    },
    website: await matchOptions(streams, websiteId),
  };
}

function candidateUrls(index: CandidateIndex): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (let at = 0; at < index.size; at++) yield urlOf(index, at);
    },
  };
}

/** Outside of the heap: there may be 1,000,000. */
async function livingUrls(db: Db, websiteId: number): Promise<Iterable<string>> {
  const { urls } = await withClient(db, (client) => readUrls(client, { websiteId, environment: 'production' }));
  return {
    *[Symbol.iterator]() {
      for (let at = 0; at < urls.size; at++) if (urls.state(at) === 'living') yield urls.text(at);
    },
  };
}

async function matchOptions(db: Queryable, websiteId: number): Promise<MatchOptions> {
  const [options] = await queryRows<MatchOptions>(db)`
    select case_sensitive, trailing_slash, query from websites where id = ${websiteId}`;
  if (!options) throw new Error(`the website ${websiteId} is gone`);
  return options;
}
