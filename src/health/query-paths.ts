import { foldPath } from '../resolver/spelling/case-fold.ts';
import type { TimeSlice } from '../platform/scheduling/time-slice.ts';
import type { CurrentRules } from './current-rules.ts';

/** Shards. Each stays below the size at which growing takes a millisecond. */
const SHARDS = 256;

/**
 * Returns a predicate: true if a rule for a path requires a query: then a query that is passed on may lead to another
 * target. Ignores case and final slashes, so it may return true for a similar path only.
 */
export async function pathsRequiringQueries({ ruleset }: CurrentRules, slice: TimeSlice) {
  const shards = Array.from({ length: SHARDS }, () => new Set<string>());
  const shardOf = (path: string): Set<string> | undefined => shards[shardNumber(path)];
  for (const { key, isRegex } of ruleset.rules()) {
    if (slice.isOver()) await slice.yield();
    const mark = isRegex ? -1 : key.indexOf('?');
    if (mark < 0) continue;
    const path = bare(key.slice(0, mark));
    shardOf(path)?.add(path);
  }
  return (path: string): boolean => shardOf(bare(path))?.has(bare(path)) ?? false;
}

const bare = (path: string): string => foldPath(path).replace(/\/+$/, '');

/** Hash of the length and the last characters, in which most paths differ. */
function shardNumber(path: string): number {
  let number = path.length;
  for (let at = Math.max(0, path.length - 4); at < path.length; at++) number = number * 31 + path.charCodeAt(at);
  return number % SHARDS;
}
