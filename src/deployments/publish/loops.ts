import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { DeploymentWarning } from '../../db/schema.ts';
import { createTimeSlice, runInSlices } from '../../platform/time-slice.ts';
import { splitTarget } from '../../resolver/canonical-path.ts';
import { addressOf, followHops, loopOf, type Step, walkHops } from '../../resolver/follow.ts';
import { parseLocation } from '../../resolver/location.ts';
import type { ListedTarget, MatchOptions } from '../../resolver/rule.ts';
import type { Candidate } from '../live/build-candidate.ts';
import type { Loop } from '../live/candidate.ts';

/** Loops that one deployment lists. A last warning says that there are more. */
const MAX_LOOPS = 1_000;
/** Hops that are followed without a list of all addresses. Nearly all chains are shorter. */
const MAX_HOPS = 50;
/**
 * Addresses of longer chains that one deployment follows. Beyond them a chain is a finding of the health report, not a
 * loop.
 */
const MAX_FAR_ADDRESSES = 10_000;

/**
 * Finds the loops through what a candidate changed. Every new loop contains a changed rule, or the address of a removed
 * one, so the cost grows with the change.
 */
export async function findLoops(
  candidate: Candidate,
  options: MatchOptions,
  isOwnHost: (host: string) => boolean,
): Promise<Loop[]> {
  const { ruleset } = candidate;
  const loops = new Map<string, Loop>();
  const farAddresses = new Set<string>();
  const slice = createTimeSlice();
  for (const key of startKeys(candidate, options, isOwnHost)) {
    if (slice.isOver()) await slice.yield();
    if (key === '') continue;
    const start = splitTarget(key);
    const journey = await runInSlices(followHops(ruleset, start, options, isOwnHost, MAX_HOPS), slice);
    const rules =
      journey.outcome === 'too-many'
        ? await farLoop(
            walkHops((request) => ruleset.match(request, options), start, isOwnHost),
            farAddresses,
          )
        : loopOf(journey)?.map((hop) => ({ id: hop.ruleId, key: hop.key }));
    if (!rules) continue;
    const loop = fromSmallest(rules);
    loops.set(loop.map((rule) => rule.id).join(' '), loop);
    if (loops.size > MAX_LOOPS) break;
  }
  return [...loops.values()];
}

/**
 * The keys to start at. If everything changed, these are the rules whose target matches another rule, as in a loop. One
 * lookup decides that, at a quarter of the cost of following. A required query may be passed on, so rules with one are
 * always followed.
 */
function* startKeys(
  { ruleset, startKeys: keys }: Candidate,
  options: MatchOptions,
  isOwnHost: (host: string) => boolean,
): Generator<string> {
  if (keys !== 'all') return yield* keys;
  const isMatched = ({ newPath, isPlain }: ListedTarget): boolean => {
    if (isPlain) return ruleset.match({ path: newPath, query: null }, options) !== undefined;
    const { host, path, query } = parseLocation(newPath);
    return (host === undefined || isOwnHost(host)) && ruleset.match({ path, query }, options) !== undefined;
  };
  for (const target of ruleset.targets()) {
    const isStart = (ruleset.requiresQueries && target.key().includes('?')) || isMatched(target);
    // An empty key lets the caller yield: a million rules take a second.
    yield isStart && target.isCurrent() ? target.key() : '';
  }
}

/**
 * Follows a long chain. At an address of `farAddresses`, all from earlier long chains, there is nothing new to find.
 */
async function farLoop(steps: Iterable<Step>, farAddresses: Set<string>): Promise<Loop | undefined> {
  const rules: Loop = [];
  const indexes = new Map<string, number>();
  const slice = createTimeSlice();
  for (const { request, match } of steps) {
    if (slice.isOver()) await slice.yield();
    const address = addressOf(request);
    const first = indexes.get(address);
    if (first !== undefined) return rules.slice(first);
    if (farAddresses.has(address) || farAddresses.size === MAX_FAR_ADDRESSES) return undefined;
    farAddresses.add(address);
    indexes.set(address, rules.push({ id: match.id, key: match.key }) - 1);
  }
  return undefined;
}

function fromSmallest(loop: Loop): Loop {
  const unique = [...new Map(loop.map((rule) => [rule.id, rule])).values()];
  const smallest = unique.reduce((least, rule, index) => (rule.key < (unique[least]?.key ?? '') ? index : least), 0);
  return [...unique.slice(smallest), ...unique.slice(0, smallest)];
}

/** The warnings of a deployment, with each old_path as its editor wrote it. */
export async function loopWarnings(db: Queryable, websiteId: number, loops: Loop[]): Promise<DeploymentWarning[]> {
  if (loops.length === 0) return [];
  const ids = [...new Set(loops.flat().map((rule) => rule.id))];
  const rows = await queryRows<{ id: number; oldPath: string }>(
    db,
  )`select id, old_path from redirects where website_id = ${websiteId} and id = any(${sql.param(ids)}::bigint[])`;
  const oldPaths = new Map(rows.map((row) => [row.id, row.oldPath]));
  const warnings = loops.slice(0, MAX_LOOPS).map((loop) => ({
    code: 'REDIRECT_LOOP',
    old_paths: loop.map((rule) => oldPaths.get(rule.id) ?? rule.key),
  }));
  return loops.length > MAX_LOOPS ? [...warnings, { code: 'MORE_LOOPS', old_paths: [] }] : warnings;
}
