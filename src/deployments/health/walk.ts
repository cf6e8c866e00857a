import { nextRequest } from '../../resolver/follow.ts';
import type { MatchRequest } from '../../resolver/rule.ts';
import { createSpreadMap } from './spread-map.ts';
import type { Pace } from './pace.ts';
import type { WorkingRules } from './working-rules.ts';

/** Where a walk along redirects comes to. `in-loop`: its first rule is one of those that lead in a circle. */
export type WalkEnd = 'ends' | 'into-loop' | 'in-loop' | 'too-long';

const ENDS: readonly WalkEnd[] = ['ends', 'into-loop', 'in-loop', 'too-long'];

/**
 * Addresses of one walk whose answer depends on more than their rule: those with a query, of patterns, on another host. A pattern can
 * lead to a longer address each time, so somewhere a walk must be given up.
 */
const MAX_VARIED = 100;

export interface Walks {
  /** Walks from a request to the end; `onLoop` of the walks is told the ids of each circle that it closes. */
  from(request: MatchRequest): Promise<WalkEnd>;
  /** How a walk that came through this literal rule without a query ended; undefined where none did. */
  endOf(ruleId: number): WalkEnd | undefined;
}

/**
 * Walks that remember where they came through, so that all of them together take no longer than the rules that lead on are many. A
 * literal rule that answers a request without query leads to the same address whichever of its spellings was asked for, so
 * such a step is remembered by the rule; any other by its address, for as long as its walk lasts.
 */
export function createWalks(rules: WorkingRules, pace: Pace, onLoop: (ruleIds: number[]) => void): Walks {
  const { ruleset, website, isOwnHost } = rules;
  const host = rules.website.hosts.find((each) => each.environment === rules.environment)?.hostname;
  // By rule: how its walk ended, or, while it is walked, -1 less its place in the walk.
  const known = createSpreadMap();

  async function settle(steps: Step[], end: WalkEnd, circleAt: number): Promise<void> {
    for (const [index, { id, isPlain }] of steps.entries()) {
      if (pace.isDue()) await pace.rest();
      if (isPlain) known.set(id, ENDS.indexOf(index >= circleAt ? 'in-loop' : end));
    }
  }

  return {
    endOf(ruleId) {
      const end = known.get(ruleId);
      return end === undefined || end < 0 ? undefined : ENDS[end];
    },
    async from(start) {
      const steps: Step[] = [];
      const varied = new Map<string, number>();
      let end: WalkEnd = 'ends';
      let circleAt = Infinity;
      for (let request: MatchRequest | undefined = start; request;) {
        if (pace.isDue()) await pace.rest();
        const match = ruleset.match(request, website);
        if (!match || match.location === null) break;
        const isPlain = !match.isRegex && !request.query && request.host === host;
        const before = isPlain ? known.get(match.id) : varied.get(placeOf(request));
        if (isPlain && before !== undefined && before >= 0) {
          const there = ENDS[before] ?? 'ends';
          end = there === 'in-loop' ? 'into-loop' : there;
          break;
        }
        if (before !== undefined) {
          circleAt = isPlain ? -1 - before : before;
          end = 'into-loop';
          break;
        }
        if (isPlain) known.set(match.id, -1 - steps.length);
        else if (varied.size === MAX_VARIED) {
          end = 'too-long';
          break;
        } else varied.set(placeOf(request), steps.length);
        steps.push({ id: match.id, isPlain });
        request = nextRequest(request, match.location, isOwnHost);
      }
      await settle(steps, end, circleAt);
      if (circleAt !== Infinity) onLoop(steps.slice(circleAt).map(({ id }) => id));
      return circleAt === 0 ? 'in-loop' : end;
    },
  };
}

interface Step {
  id: number;
  isPlain: boolean;
}

const placeOf = ({ host, path, query }: MatchRequest): string => `${host ?? ''}${path}?${query ?? ''}`;
