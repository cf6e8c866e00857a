import { requestKey, walkHops } from '../resolver/follow.ts';
import { firstHost } from '../resolver/own-hosts.ts';
import type { MatchRequest } from '../resolver/rule.ts';
import type { TimeSlice } from '../platform/scheduling/time-slice.ts';
import type { CurrentRules } from './current-rules.ts';

/** How a walk along redirects ends. `in-loop`: its first rule is part of the loop. */
export type WalkEnd = 'ends' | 'into-loop' | 'in-loop' | 'too-long';

const ENDS: readonly WalkEnd[] = ['ends', 'into-loop', 'in-loop', 'too-long'];

/**
 * Addresses of one walk that are cached by URL: with a query, of a pattern, or on another host. A pattern can redirect
 * to a longer address each time, so a walk needs a limit.
 */
const MAX_VARIED = 100;

/** Rules that identify a loop. A loop may have a million. */
export const MAX_NAMED = 100;

/** Redirects that redirect to each other. */
export interface Loop {
  /** the ids of its first rules, each once, starting at the smallest */
  ruleIds: number[];
  count: number;
  /** no address repeats, because each is longer than the previous one */
  isGrowing: boolean;
}

export type Walks = ReturnType<typeof createWalks>;

/**
 * Memoized walks: all of them together take linear time. A literal match without a query on the first host is cached by
 * rule id, because every spelling redirects to the same address. Any other step is cached by URL for the current walk.
 */
export function createWalks(rules: CurrentRules, slice: TimeSlice, onLoop: (loop: Loop) => void) {
  const { ruleset, website, hosts } = rules;
  const host = firstHost(website.hosts, rules.environment);
  // By rule id: the index of its end in ENDS, or -1 - its step during its walk.
  const known = createShardedMap();
  const inLoops = createShardedMap();

  /** Caches the end of a walk. Returns the step of the loop's smallest rule id. */
  async function settle(steps: Step[], end: WalkEnd, loopAt: number): Promise<number> {
    let smallest = loopAt;
    for (const [index, { id, isPlain }] of steps.entries()) {
      if (slice.isOver()) await slice.yield();
      const isInLoop = index >= loopAt;
      if (isPlain) known.set(id, ENDS.indexOf(isInLoop ? 'in-loop' : end));
      if (!isInLoop) continue;
      inLoops.set(id, 1);
      if (id < (steps[smallest]?.id ?? 0)) smallest = index;
    }
    return smallest;
  }

  return {
    /** The end of a walk through this literal rule without a query; undefined without such a walk. */
    endOf(ruleId: number): WalkEnd | undefined {
      const end = known.get(ruleId);
      return end === undefined || end < 0 ? undefined : ENDS[end];
    },
    /** Returns whether a walk found this rule in a loop. */
    isOfLoop: (ruleId: number) => inLoops.get(ruleId) === 1,
    /** Walks from a request to the end. Each new loop is passed to `onLoop`. */
    async from(start: MatchRequest): Promise<WalkEnd> {
      const steps: Step[] = [];
      const varied = new Map<string, number>();
      let end: WalkEnd = 'ends';
      let loopAt = Infinity;
      for (const { request, match } of walkHops((each) => ruleset.match(each, website), start, hosts)) {
        if (slice.isOver()) await slice.yield();
        if (match.location === null) break;
        const isPlain = !match.isRegex && !request.query && request.host === host;
        const visited = isPlain ? known.get(match.id) : varied.get(requestKey(request));
        if (isPlain && visited !== undefined && visited >= 0) {
          const endOfRule = ENDS[visited] ?? 'ends';
          end = endOfRule === 'in-loop' ? 'into-loop' : endOfRule;
          break;
        }
        if (visited !== undefined) {
          loopAt = isPlain ? -1 - visited : visited;
          end = 'into-loop';
          break;
        }
        if (isPlain) known.set(match.id, -1 - steps.length);
        else if (varied.size === MAX_VARIED) {
          end = 'too-long';
          break;
        } else varied.set(requestKey(request), steps.length);
        steps.push({ id: match.id, isPlain });
      }
      const smallest = await settle(steps, end, loopAt);
      if (loopAt !== Infinity) onLoop(loopOf(steps, loopAt, smallest));
      return loopAt === 0 ? 'in-loop' : end;
    },
  };
}

interface Step {
  id: number;
  isPlain: boolean;
}

/** A loop may pass a rule several times, with another query or path each time. A long loop rarely does. */
function loopOf(steps: Step[], loopAt: number, smallest: number): Loop {
  const count = steps.length - loopAt;
  const rules = [...steps.slice(smallest, smallest + MAX_NAMED), ...steps.slice(loopAt, loopAt + MAX_NAMED)];
  const named = rules.slice(0, Math.min(count, MAX_NAMED));
  const ruleIds = [...new Set(named.map(({ id }) => id))];
  return { ruleIds, count: count > MAX_NAMED ? count : ruleIds.length, isGrowing: false };
}

/** Shards. With a million keys, each stays below the size at which growing takes a millisecond. */
const SHARDS = 256;

/** A sharded map of numbers by id. One map of a million entries would block the event loop whenever it grows. */
function createShardedMap() {
  const shards = Array.from({ length: SHARDS }, () => new Map<number, number>());
  return {
    get: (id: number) => shards[id % SHARDS]?.get(id),
    set: (id: number, value: number) => void shards[id % SHARDS]?.set(id, value),
  };
}
