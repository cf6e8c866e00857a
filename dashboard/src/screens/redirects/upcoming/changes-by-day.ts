import type { Redirect } from '../../../api/client/wire.ts';
import { dayOf } from '../../../format.ts';

/** The start or the end of the schedule of a redirect. */
export interface Change {
  redirect: Redirect;
  kind: 'starts' | 'ends';
  /** in ms */
  at: number;
}

/** The starts and ends in a range of times, in ms, by the day of the user, the next one first. */
export function changesByDay(
  redirects: readonly Redirect[],
  from: number,
  before: number,
): { day: string; changes: Change[] }[] {
  const changes = redirects.flatMap((redirect): Change[] => [
    { redirect, kind: 'starts', at: Date.parse(redirect.active_from ?? '') },
    { redirect, kind: 'ends', at: Date.parse(redirect.active_until ?? '') },
  ]);
  const coming = changes.filter(({ at }) => at >= from && at < before).toSorted((a, b) => a.at - b.at);
  const days = Map.groupBy(coming, ({ at }) => dayOf(new Date(at).toISOString()));
  return [...days].map(([day, ofDay]) => ({ day, changes: ofDay }));
}
