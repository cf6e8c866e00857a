import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { DeploymentWarning } from '../../db/schema/deployments.ts';
import { stopwatch } from '../../platform/clock.ts';
import { createTimeSlice, runInSlices, type TimeSlice } from '../../platform/scheduling/time-slice.ts';
import { addressOf, followHops, loopOf, walkHops } from '../../resolver/follow.ts';
import { growingRound, startRequests } from '../../resolver/growing-loop.ts';
import { parseLocation } from '../../resolver/location.ts';
import { createOwnHosts, type OwnHosts } from '../../resolver/own-hosts.ts';
import type { ListedTarget, MatchOptions, MatchRequest } from '../../resolver/rule.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { Candidate } from '../live/build-candidate.ts';
import type { FoundLoops, Loop, LoopSearch, Place, StoredLoops } from '../live/candidate.ts';

/** Loops that one deployment lists. A last warning says that there are more. */
const MAX_LOOPS = 1_000;
/** Hops that are followed without a list of all addresses. Nearly all chains are shorter. */
const MAX_HOPS = 50;
/**
 * Addresses of longer chains that one deployment follows. Beyond them a chain is a finding of the health report, not a
 * loop.
 */
const MAX_FAR_ADDRESSES = 10_000;
/** A million rules take some seconds. Rules that cost the most each would take hours, and delay other deployments. */
const MAX_SEARCH_MS = 60_000;

interface Search {
  ruleset: Ruleset;
  options: MatchOptions;
  hosts: OwnHosts;
  slice: TimeSlice;
  /** the addresses of all long chains so far: there is nothing new to find at them */
  farAddresses: Set<string>;
}

/**
 * Finds every loop of a candidate. Follows the known loops of the live rules again, and searches new ones where rules
 * changed: each contains a changed rule, or the address of a removed one. So the cost grows with the change. Without
 * known loops, searches all rules. Stops after `maxMs`.
 */
export async function findLoops(
  candidate: Candidate,
  { options, hosts: allHosts, environment, known }: LoopSearch,
  maxMs = MAX_SEARCH_MS,
): Promise<FoundLoops> {
  const { ruleset } = candidate;
  const hosts = createOwnHosts(allHosts, environment);
  const search: Search = { ruleset, options, hosts, slice: createTimeSlice(), farAddresses: new Set() };
  const startedAt = stopwatch();
  const loops = new Map<string, Loop>();
  const starts = new Set<string>();
  const incomplete = (isCutShort: boolean): FoundLoops => ({
    loops: [...loops.values()],
    starts: undefined,
    isCutShort,
  });
  for (const key of startKeys(candidate, search, known)) {
    if (search.slice.isOver()) {
      if (stopwatch() - startedAt > maxMs) return incomplete(true);
      await search.slice.yield();
    }
    for (const start of key === '' ? [] : startRequests(key, ruleset.get(key))) {
      const round = await roundFrom(search, start);
      if (!round) continue;
      const rules = fromSmallest(round.rules);
      const isScheduled = rules.some((rule) => ruleset.get(rule.key)?.window !== undefined);
      const loop = { rules, isGrowing: round.isGrowing, isScheduled };
      const name = loop.rules.map((rule) => rule.id).join(' ');
      if (!loops.has(name)) starts.add(round.address);
      // Its own samples find a growing loop even if another rule takes this address.
      if (round.isGrowing) starts.add(loop.rules.find((rule) => ruleset.get(rule.key)?.isRegex)?.key ?? round.address);
      loops.set(name, loop);
    }
    if (loops.size > MAX_LOOPS) return incomplete(false);
  }
  return { loops: [...loops.values()], starts: [...starts], isCutShort: false };
}

/** The start keys of the whole search, each an address or the text of a pattern. An empty one lets the caller yield. */
function* startKeys(candidate: Candidate, search: Search, known: readonly string[] | undefined): Generator<string> {
  const { ruleset, startKeys: changed, startPatterns } = candidate;
  if (known) yield* known;
  if (known && startPatterns !== 'all') yield* startPatterns;
  else for (const { key } of ruleset.patterns()) yield key;
  if (known && changed !== 'all') yield* changed;
  else yield* keysWithinRules(search);
}

/**
 * The literal keys whose target matches another rule, as in a loop. One lookup decides that, at a quarter of the cost
 * of following. A required query may be passed on, so rules with one are always followed.
 */
function* keysWithinRules({ ruleset, options, hosts }: Search): Generator<string> {
  const isMatched = ({ newPath, isPlain }: ListedTarget): boolean => {
    if (isPlain) return ruleset.match({ path: newPath, query: null }, options) !== undefined;
    const { host, path, query } = parseLocation(newPath);
    if (host !== undefined && hosts.redirectAt(host)) return true;
    return (host === undefined || hosts.servesRules(host)) && ruleset.match({ path, query }, options) !== undefined;
  };
  for (const target of ruleset.targets()) {
    const isStart = (ruleset.requiresQueries && target.key().includes('?')) || isMatched(target);
    // An empty key lets the caller yield: a million rules take a second.
    yield isStart && target.isCurrent() ? target.key() : '';
  }
}

/** One round of a loop. */
interface Round extends Omit<Loop, 'isScheduled'> {
  /** where the round starts */
  address: string;
}

async function roundFrom(search: Search, start: MatchRequest): Promise<Round | undefined> {
  const { ruleset, options, hosts, slice } = search;
  const journey = await runInSlices(followHops(ruleset, start, options, hosts, MAX_HOPS), slice);
  const growing = growingRound(journey);
  if (journey.outcome === 'too-many' && !growing) return farRound(search, start);
  // Domain redirects are no rules: a loop of these alone cannot be stored.
  const hops = (growing ?? loopOf(journey) ?? []).flatMap(({ ruleId, ...hop }) =>
    ruleId === null ? [] : [{ ...hop, id: ruleId }],
  );
  const [first] = hops;
  if (!first) return undefined;
  const rules = hops.map(({ id, key }) => ({ id, key }));
  return { rules, isGrowing: growing !== undefined, address: first.url };
}

/** Follows a long chain. At an address of an earlier long chain there is nothing new to find. */
async function farRound(search: Search, start: MatchRequest): Promise<Round | undefined> {
  const { ruleset, options, hosts, slice, farAddresses } = search;
  const rules: Loop['rules'] = [];
  const indexes = new Map<string, number>();
  for (const { request, match } of walkHops((each) => ruleset.match(each, options), start, hosts)) {
    if (slice.isOver()) await slice.yield();
    const address = addressOf(request);
    const first = indexes.get(address);
    if (first !== undefined) return { rules: rules.slice(first), isGrowing: false, address };
    if (farAddresses.has(address) || farAddresses.size === MAX_FAR_ADDRESSES) return undefined;
    farAddresses.add(address);
    indexes.set(address, rules.push({ id: match.id, key: match.key }) - 1);
  }
  return undefined;
}

function fromSmallest(rules: Loop['rules']): Loop['rules'] {
  const unique = [...new Map(rules.map((rule) => [rule.id, rule])).values()];
  const smallest = unique.reduce((least, rule, index) => (rule.key < (unique[least]?.key ?? '') ? index : least), 0);
  return [...unique.slice(smallest), ...unique.slice(0, smallest)];
}

/** The loops of the live version; null if unknown, or if `version` is not the live one. */
export async function knownLoops(
  db: Queryable,
  { websiteId, environment }: Place,
  version?: number,
): Promise<StoredLoops | null> {
  const [row] = await queryRows<{ loops: StoredLoops | null; liveVersion: number }>(
    db,
  )`select loops, live_version from website_environments where website_id = ${websiteId} and environment = ${environment}`;
  return version === undefined || row?.liveVersion === version ? (row?.loops ?? null) : null;
}

const CUT_SHORT: DeploymentWarning = { code: 'LOOP_SEARCH_CUT_SHORT', old_paths: [] };

/** The warnings of a deployment, with each old_path as its editor wrote it. */
export async function loopWarnings(
  db: Queryable,
  websiteId: number,
  { loops, isCutShort }: Pick<FoundLoops, 'loops' | 'isCutShort'>,
): Promise<DeploymentWarning[]> {
  if (loops.length === 0) return isCutShort ? [CUT_SHORT] : [];
  const ids = [...new Set(loops.flatMap(({ rules }) => rules.map((rule) => rule.id)))];
  const oldPaths = await readOldPaths(db, websiteId, ids);
  const warnings = loops.slice(0, MAX_LOOPS).map(({ rules, isGrowing, isScheduled }) => ({
    code: 'REDIRECT_LOOP',
    old_paths: rules.map((rule) => oldPaths.get(rule.id) ?? rule.key),
    ...(isGrowing && { growing: true }),
    ...(isScheduled && { scheduled: true }),
  }));
  if (loops.length > MAX_LOOPS) warnings.push({ code: 'MORE_LOOPS', old_paths: [] });
  return isCutShort ? [...warnings, CUT_SHORT] : warnings;
}

/** The old paths of rules as their editors wrote them, by id; without those of deleted redirects. */
export async function readOldPaths(db: Queryable, websiteId: number, ids: number[]): Promise<Map<number, string>> {
  const rows = await queryRows<{ id: number; oldPath: string }>(
    db,
  )`select id, old_path from redirects where website_id = ${websiteId} and id = any(${sql.param(ids)}::bigint[])`;
  return new Map(rows.map((row) => [row.id, row.oldPath]));
}
