/** Redirects with broken targets, by target. */
import type { BrokenTarget } from '../../api/client/wire.ts';
import type { Retarget } from '../../api/redirects.ts';
import { usable } from '../../ui/suggestions.ts';

/** The redirects by broken target, each target at the place of its first one. */
export const byTarget = (found: readonly BrokenTarget[]): BrokenTarget[][] => [
  ...Map.groupBy(found, ({ new_path: target }) => target).values(),
];

/** The hits of all of them in the last 30 days; null on plans without analytics. */
export const hitsOf = (found: readonly BrokenTarget[]): number | null =>
  found.reduce<number | null>((sum, { hits }) => (sum === null || hits === null ? null : sum + hits), 0);

/** The page that most probably replaces the target; undefined if none is probable enough. */
export const bestTarget = ({ suggestions }: BrokenTarget): string | undefined => usable(suggestions)[0]?.target;

/** The best page for all of them; undefined if they differ. */
export function commonTarget(found: readonly BrokenTarget[]): string | undefined {
  const targets = new Set(found.map(bestTarget));
  return targets.size === 1 ? [...targets][0] : undefined;
}

/** The updates that give each redirect its next target. Those without one stay. */
export function retargetsOf(
  found: readonly BrokenTarget[],
  targetOf: (found: BrokenTarget) => string | undefined,
): Retarget[] {
  const moving = found.flatMap((each) => {
    const to = targetOf(each);
    return to === undefined ? [] : [{ id: each.redirect_id, from: each.new_path, to }];
  });
  return [...Map.groupBy(moving, ({ from, to }) => JSON.stringify([from, to])).values()].flatMap((same) =>
    same.slice(0, 1).map(({ from, to }) => ({ redirectIds: same.map(({ id }) => id), from, to })),
  );
}
