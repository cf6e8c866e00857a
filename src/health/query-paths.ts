import { foldPath } from '../resolver/case-fold.ts';
import type { TimeSlice } from '../platform/time-slice.ts';
import type { CurrentRules } from './current-rules.ts';

/** Below this no part takes a millisecond to grow. */
const PARTS = 256;

/**
 * Tells of a path whether some rule for it, or for one that differs in case or final slashes, requires a query: then a query that is
 * passed on may lead elsewhere. May say yes of a path that is only like one of those.
 */
export async function pathsThatAskForQueries(
  { ruleset }: CurrentRules,
  slice: TimeSlice,
): Promise<(path: string) => boolean> {
  const parts = Array.from({ length: PARTS }, () => new Set<string>());
  const partOf = (path: string): Set<string> | undefined => parts[partNumber(path)];
  for (const { key, isRegex } of ruleset.rules()) {
    if (slice.isOver()) await slice.yield();
    const mark = isRegex ? -1 : key.indexOf('?');
    if (mark < 0) continue;
    const path = bare(key.slice(0, mark));
    partOf(path)?.add(path);
  }
  return (path) => partOf(bare(path))?.has(bare(path)) ?? false;
}

const bare = (path: string): string => foldPath(path).replace(/\/+$/, '');

/** By the length and the last characters of a path, which tell most apart. */
function partNumber(path: string): number {
  let number = path.length;
  for (let at = Math.max(0, path.length - 4); at < path.length; at++)
    number = number * 31 + path.charCodeAt(at);
  return number % PARTS;
}
