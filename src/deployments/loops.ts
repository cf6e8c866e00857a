import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import type { DeploymentWarning } from '../db/schema.ts';
import { canonicalPath } from '../resolver/canonical-path.ts';
import { followHops } from '../resolver/follow.ts';
import type { MatchOptions } from '../resolver/rule.ts';
import type { Ruleset } from '../resolver/ruleset.ts';
import type { Candidate } from '../versions/candidate.ts';

/** Loops that one deployment lists; a last warning says that there are more. */
const MAX_LOOPS = 1_000;
/** Chains that are followed before other work gets its turn (about 2 ms). */
const SLICE = 1_000;
/** A longer chain is a finding of the website's health, not a loop. */
const MAX_HOPS = 50;

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
  let followed = 0;
  for (const key of startKeys(candidate)) {
    if (++followed % SLICE === 0) await nextTurn();
    const loop = loopFrom(candidate.ruleset, key, options, isOwnHost);
    if (loop) loops.set(loop.map((rule) => rule.id).join(' '), loop);
    if (loops.size > MAX_LOOPS) break;
  }
  return [...loops.values()];
}

function* startKeys({ ruleset, startKeys: keys }: Candidate): Generator<string> {
  if (keys !== 'all') return yield* keys;
  for (const rule of ruleset.rules()) if (!rule.isRegex && rule.newPath !== null) yield rule.key;
}

function loopFrom(
  ruleset: Ruleset,
  key: string,
  options: MatchOptions,
  isOwnHost: (host: string) => boolean,
): Loop | undefined {
  const mark = key.indexOf('?');
  const start = { path: canonicalPath(key), query: mark < 0 ? null : key.slice(mark + 1) };
  const { hops, outcome, finalUrl } = followHops(ruleset, start, options, isOwnHost, MAX_HOPS);
  if (outcome !== 'loop') return undefined;
  // The hops that repeat begin where the address that came back was asked for first.
  const begin = hops.findIndex((hop) => hop.url === finalUrl);
  return fromSmallest(hops.slice(begin).map((hop) => ({ id: hop.ruleId, key: hop.key })));
}

function fromSmallest(loop: Loop): Loop {
  const unique = loop.filter((rule, index) => loop.findIndex((other) => other.id === rule.id) === index);
  const smallest = unique.reduce((least, rule, index) => (rule.key < (unique[least]?.key ?? '') ? index : least), 0);
  return [...unique.slice(smallest), ...unique.slice(0, smallest)];
}

/** The warnings as deployments show them, each old_path as its editor wrote it. */
export async function loopWarnings(db: Queryable, loops: Loop[]): Promise<DeploymentWarning[]> {
  if (loops.length === 0) return [];
  const ids = [...new Set(loops.flat().map((rule) => rule.id))];
  const { rows } = await db.execute<{ id: string | number; old_path: string }>(
    sql`select id, old_path from redirects where id = any(${sql.param(ids)}::bigint[])`,
  );
  const written = new Map(rows.map((row) => [Number(row.id), row.old_path]));
  const warnings = loops.slice(0, MAX_LOOPS).map((loop) => ({
    code: 'REDIRECT_LOOP',
    old_paths: loop.map((rule) => written.get(rule.id) ?? rule.key),
  }));
  return loops.length > MAX_LOOPS ? [...warnings, { code: 'MORE_LOOPS', old_paths: [] }] : warnings;
}
