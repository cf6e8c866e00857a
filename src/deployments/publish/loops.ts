import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { DeploymentWarning } from '../../db/schema.ts';
import { canonicalPath } from '../../resolver/canonical-path.ts';
import { followHops, type Hop, type Journey } from '../../resolver/follow.ts';
import { locationAddress } from '../../resolver/location-address.ts';
import type { ListedTarget, MatchOptions, MatchRequest } from '../../resolver/rule.ts';
import type { Candidate } from '../live/candidate.ts';

/** Loops that one deployment lists; a last warning says that there are more. */
const MAX_LOOPS = 1_000;
/** How long chains are followed before other work gets its turn. Time, as a hop may cost a microsecond or many patterns. */
const SLICE_MS = 3;
/** Hops that are followed in one go, which is more than nearly all chains have; longer ones are followed piece by piece. */
const MAX_HOPS = 50;
/** Addresses of long chains that one deployment follows; beyond them a chain is a finding of the website's health, not a loop. */
const MAX_FAR_ADDRESSES = 10_000;

/** The rules of one loop, each by id and key, beginning at the smallest key. */
type Loop = { id: number; key: string }[];

/**
 * The loops that run through what a candidate changed: every new loop holds a changed rule, or the address of one that was taken
 * away, so following those finds it. Cost follows the change.
 */
export async function findLoops(
  candidate: Candidate,
  options: MatchOptions,
  isOwnHost: (host: string) => boolean,
): Promise<Loop[]> {
  const loops = new Map<string, Loop>();
  const follow = (from: string): Journey =>
    followHops(candidate.ruleset, requestOf(from), options, isOwnHost, MAX_HOPS);
  const far = new Set<string>();
  let turnBegan = performance.now();
  for (const key of startKeys(candidate, options, isOwnHost)) {
    if (performance.now() - turnBegan > SLICE_MS) {
      await nextTurn();
      turnBegan = performance.now();
    }
    if (key === '') continue;
    const journey = follow(key);
    const circle = journey.outcome === 'too-many' ? await farCircle(journey, follow, far) : circleOf(journey);
    if (!circle) continue;
    const loop = fromSmallest(circle.map((hop) => ({ id: hop.ruleId, key: hop.key })));
    loops.set(loop.map((rule) => rule.id).join(' '), loop);
    if (loops.size > MAX_LOOPS) break;
  }
  return [...loops.values()];
}

/**
 * Where to begin. Of all rules only those are worth following whose target meets another rule, as that of a loop does: one look-up
 * decides that for most, at a quarter of what following costs. A required query may be carried on, so where there are such rules,
 * those are followed anyway.
 */
function* startKeys(
  { ruleset, startKeys: keys }: Candidate,
  options: MatchOptions,
  isOwnHost: (host: string) => boolean,
): Generator<string> {
  if (keys !== 'all') return yield* keys;
  const leadsOn = ({ newPath, isPlain }: ListedTarget): boolean => {
    if (isPlain) return ruleset.match({ path: newPath, query: null }, options) !== undefined;
    const { host, path, query } = locationAddress(newPath);
    return (host === undefined || isOwnHost(host)) && ruleset.match({ path, query }, options) !== undefined;
  };
  for (const target of ruleset.targets()) {
    // An empty key gives others their turn: looking through a million rules takes a second.
    const isStart = (ruleset.requiresQueries && target.key().includes('?')) || leadsOn(target);
    yield isStart && target.stands() ? target.key() : '';
  }
}

function requestOf(address: string): MatchRequest {
  const mark = address.indexOf('?');
  return { path: canonicalPath(address), query: mark < 0 ? null : address.slice(mark + 1) };
}

/** The hops that repeat: from where the address that came back was asked for first. */
function circleOf({ hops, outcome, finalUrl }: Journey): Hop[] | undefined {
  return outcome === 'loop' ? hops.slice(hops.findIndex((hop) => hop.url === finalUrl)) : undefined;
}

/** Follows a long chain on. `far` are the addresses of such chains: where one was before, nothing new is found. */
async function farCircle(
  begin: Journey,
  follow: (from: string) => Journey,
  far: Set<string>,
): Promise<Hop[] | undefined> {
  const hops: Hop[] = [];
  const indexes = new Map<string, number>();
  for (let journey = begin; ; journey = follow(journey.finalUrl)) {
    for (const hop of journey.hops) {
      const first = indexes.get(hop.url);
      if (first !== undefined) return hops.slice(first);
      if (far.has(hop.url) || far.size === MAX_FAR_ADDRESSES) return undefined;
      far.add(hop.url);
      indexes.set(hop.url, hops.push(hop) - 1);
    }
    if (journey.outcome !== 'too-many' && journey.outcome !== 'loop') return undefined;
    await nextTurn();
  }
}

function fromSmallest(loop: Loop): Loop {
  const unique = [...new Map(loop.map((rule) => [rule.id, rule])).values()];
  const smallest = unique.reduce(
    (least, rule, index) => (rule.key < (unique[least]?.key ?? '') ? index : least),
    0,
  );
  return [...unique.slice(smallest), ...unique.slice(0, smallest)];
}

/** The warnings as deployments show them, each old_path as its editor wrote it. */
export async function loopWarnings(
  db: Queryable,
  websiteId: number,
  loops: Loop[],
): Promise<DeploymentWarning[]> {
  if (loops.length === 0) return [];
  const ids = [...new Set(loops.flat().map((rule) => rule.id))];
  const { rows } = await db.execute<{ id: string | number; old_path: string }>(
    sql`select id, old_path from redirects where website_id = ${websiteId} and id = any(${sql.param(ids)}::bigint[])`,
  );
  const written = new Map(rows.map((row) => [Number(row.id), row.old_path]));
  const warnings = loops.slice(0, MAX_LOOPS).map((loop) => ({
    code: 'REDIRECT_LOOP',
    old_paths: loop.map((rule) => written.get(rule.id) ?? rule.key),
  }));
  return loops.length > MAX_LOOPS ? [...warnings, { code: 'MORE_LOOPS', old_paths: [] }] : warnings;
}
