import { requestKey, walkHops } from '../resolver/follow.ts';
import type { MatchRequest } from '../resolver/rule.ts';
import type { TimeSlice } from '../platform/time-slice.ts';
import type { CurrentRules } from './current-rules.ts';

/** Where a walk along redirects comes to. `in-loop`: its first rule is one of those that lead in a circle. */
export type WalkEnd = 'ends' | 'into-loop' | 'in-loop' | 'too-long';

const ENDS: readonly WalkEnd[] = ['ends', 'into-loop', 'in-loop', 'too-long'];

/**
 * Addresses of one walk whose answer depends on more than their rule: those with a query, of patterns, on another host. A pattern can
 * lead to a longer address each time, so somewhere a walk must be given up.
 */
const MAX_VARIED = 100;

/** Rules of one loop by which it is known and shown; there may be a million. */
export const MAX_NAMED = 100;

/** Redirects that lead in a circle. */
export interface Loop {
  /** the ids of the first of its rules, each once, beginning at the smallest; all where they are few */
  ruleIds: number[];
  count: number;
}

export interface Walks {
  /** Walks from a request to the end; `onLoop` of the walks is told each circle that it closes. */
  from(request: MatchRequest): Promise<WalkEnd>;
  /** How a walk that came through this literal rule without a query ended; undefined where none did. */
  endOf(ruleId: number): WalkEnd | undefined;
  /** Was this rule met on a circle? */
  isOfLoop(ruleId: number): boolean;
}

/**
 * Walks that remember where they came through, so that all of them together take no longer than the rules that lead on are many. A
 * literal rule that answers a request without query leads to the same address whichever of its spellings was asked for, so
 * such a step is remembered by the rule; any other by its address, for as long as its walk lasts.
 */
export function createWalks(rules: CurrentRules, slice: TimeSlice, onLoop: (loop: Loop) => void): Walks {
  const { ruleset, website, isOwnHost } = rules;
  const host = rules.website.hosts.find((each) => each.environment === rules.environment)?.hostname;
  // By rule: how its walk ended, or, while it is walked, -1 less its place in the walk.
  const known = createShardedMap();

  const inLoops = createShardedMap();

  /** Remembers how a walk ended; the place of the circle's smallest rule in it is the answer. */
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
    endOf(ruleId) {
      const end = known.get(ruleId);
      return end === undefined || end < 0 ? undefined : ENDS[end];
    },
    isOfLoop: (ruleId) => inLoops.get(ruleId) === 1,
    async from(start) {
      const steps: Step[] = [];
      const varied = new Map<string, number>();
      let end: WalkEnd = 'ends';
      let loopAt = Infinity;
      for (const { request, match } of walkHops((each) => ruleset.match(each, website), start, isOwnHost)) {
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

/** A circle may pass a rule several times, with a query or a path of another kind each time; a long one hardly does. */
function loopOf(steps: Step[], loopAt: number, smallest: number): Loop {
  const count = steps.length - loopAt;
  const around = [...steps.slice(smallest, smallest + MAX_NAMED), ...steps.slice(loopAt, loopAt + MAX_NAMED)];
  const named = around.slice(0, Math.min(count, MAX_NAMED));
  const ruleIds = [...new Set(named.map(({ id }) => id))];
  return { ruleIds, count: count > MAX_NAMED ? count : ruleIds.length };
}

/** As many parts as keep each below the size at which growing takes a millisecond, for the million keys that there may be. */
const PARTS = 256;

/** A map of numbers by id in many parts: one of a million entries would hold everybody up each time that it grows. */
export interface ShardedMap {
  get(id: number): number | undefined;
  set(id: number, value: number): void;
}

export function createShardedMap(): ShardedMap {
  const parts = Array.from({ length: PARTS }, () => new Map<number, number>());
  return {
    get: (id) => parts[id % PARTS]?.get(id),
    set: (id, value) => void parts[id % PARTS]?.set(id, value),
  };
}
