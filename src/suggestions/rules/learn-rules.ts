/** Learns rules from the decided rows of a move (README.md). */
import { foldPath } from '../../resolver/spelling/case-fold.ts';
import { redirectsToItself } from '../../resolver/location.ts';
import { locationFor } from '../../resolver/target.ts';
import { runInSlices } from '../../platform/scheduling/time-slice.ts';
import { cleanPieces, type KeptText } from './pieces.ts';
import { canonicalTarget, type Rewrite, rewritesOf } from './rewrite.ts';
import { createStartFinder, matchableRows, type MoveRows, type Row } from './rows.ts';
import { type LearntRule, writeRules } from './write-rules.ts';

/** With fewer decisions there are no rules. */
const MIN_DECISIONS = 10;
/** Rewrites that are tried, those of the most decided rows first: each is tried on all rows below its start. */
const MAX_REWRITES = 300;
/** A rewrite of one decided row that leads fewer undecided rows to candidates may do so by chance. */
const MIN_COVERED = 5;
/** Endings of pages whose names were taken: which of them a row belongs to is unknown. */
const TWIN_ENDINGS = ['-2', '--2'];

/**
 * Returns the rules that the decisions show, those that cover the most rows first; none for fewer than 10 decisions.
 * A rule leads each undecided row that it matches to a candidate, each decided one to its target, and matches no living
 * page and no row that is decided otherwise. No undecided row has two targets. Yields to the event loop.
 */
export function learnRules(rows: MoveRows): Promise<LearntRule[]> {
  return runInSlices(learn(rows));
}

function* learn(rows: MoveRows): Generator<void, LearntRule[]> {
  const rewrites = yield* findRewrites(rows);
  const regions = yield* findRegions(rows, rewrites);
  const claimed = new Map<string, string>();
  const rules: LearntRule[] = [];
  for (const rewrite of rewrites) {
    const texts = yield* tryRewrite(rewrite, regions.get(rewrite.oldStart) ?? [], rows, claimed);
    if (!isProven(texts)) continue;
    const pieces = yield* cleanPieces(texts);
    for (const { rule, covered } of yield* writeRules(rewrite, pieces)) {
      rules.push(rule);
      for (const { url, location } of covered) claimed.set(url, location);
      yield;
    }
  }
  return rules.sort((one, other) => other.covers - one.covers || (one.pattern < other.pattern ? -1 : 1));
}

/**
 * Whether enough undecided rows lead to candidates: 2 if decided rows are as many or if most rows do so, else 5.
 */
function isProven(texts: KeptText[]): boolean {
  const count = (effect: KeptText['effect']): number => texts.filter((text) => text.effect === effect).length;
  const covers = count('covers');
  return covers >= MIN_COVERED || (covers >= 2 && (count('agrees') >= 2 || covers >= count('wrong')));
}

/** The rewrites of the decided redirects, those of the most rows first, then the narrowest. */
function* findRewrites({ decided, website }: MoveRows): Generator<void, Rewrite[]> {
  const found = new Map<string, { rewrite: Rewrite; rows: number }>();
  let decisions = 0;
  for (const row of matchableRows({ decided, undecided: [], living: [], website })) {
    decisions++;
    yield;
    if (row.target === null || row.kind !== 'redirect') continue;
    // A query that the target only repeats is passed on by a rule.
    const passed = website.query === 'pass' && row.query !== null ? `?${row.query}` : '';
    const target = row.target.endsWith(passed) ? row.target.slice(0, row.target.length - passed.length) : row.target;
    for (const each of rewritesOf(row.path, target)) {
      const { oldStart, oldEnd } = each;
      const rewrite = website.caseSensitive
        ? each
        : { ...each, oldStart: foldPath(oldStart), oldEnd: foldPath(oldEnd), isFolded: true };
      const key = JSON.stringify(Object.values(rewrite));
      found.set(key, { rewrite, rows: (found.get(key)?.rows ?? 0) + 1 });
    }
  }
  if (decisions < MIN_DECISIONS) return [];
  return [...found.values()]
    .sort((one, other) => other.rows - one.rows || other.rewrite.oldStart.length - one.rewrite.oldStart.length)
    .slice(0, MAX_REWRITES)
    .map(({ rewrite }) => rewrite);
}

/** All rows below the start of each rewrite. */
function* findRegions(rows: MoveRows, rewrites: Rewrite[]): Generator<void, Map<string, Row[]>> {
  const regions = new Map(rewrites.map(({ oldStart }): [string, Row[]] => [oldStart, []]));
  const startsOf = createStartFinder(regions.keys());
  let count = 0;
  for (const row of matchableRows(rows)) {
    if (count++ % 100 === 0) yield;
    for (const start of startsOf(row.compared)) regions.get(start)?.push(row);
  }
  return regions;
}

/** Returns the text that the rewrite keeps of each row that it applies to, and its effect on the row. */
function* tryRewrite(
  rewrite: Rewrite,
  region: Row[],
  { isCandidate, website }: Pick<MoveRows, 'isCandidate' | 'website'>,
  claimed: ReadonlyMap<string, string>,
): Generator<void, KeptText[]> {
  const { oldStart, oldEnd, newStart, newEnd } = rewrite;
  const effectOn = ({ url, path, query, compared, kind, target }: Row, location: string): KeptText['effect'] => {
    // Folding changed the length: where the kept text begins in the path is unknown.
    if (compared.length !== path.length || redirectsToItself(location, { path, query })) return 'wrong';
    if (kind === 'redirect') return canonicalTarget(location) === target ? 'agrees' : 'wrong';
    if (kind !== 'undecided') return 'wrong';
    const other = claimed.get(url);
    if (other !== undefined) return other === location ? 'known' : 'wrong';
    const hasTwin = TWIN_ENDINGS.some((ending) => isCandidate(location + ending));
    return isCandidate(location) && !hasTwin ? 'covers' : 'wrong';
  };
  const texts: KeptText[] = [];
  for (const [i, row] of region.entries()) {
    if (i % 100 === 0) yield;
    const { path, compared } = row;
    const end = compared.length - oldEnd.length;
    if (end < oldStart.length || !compared.endsWith(oldEnd)) continue;
    const kept = path.slice(oldStart.length, path.length - oldEnd.length);
    const location = locationFor(newStart + kept + newEnd, row.query, website.query, []);
    texts.push({ text: compared.slice(oldStart.length, end), effect: effectOn(row, location), url: row.url, location });
  }
  return texts;
}
