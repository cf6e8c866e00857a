/** Starts and ends of schedules by the day of the user, and the weeks of the calendar. */
import { ENVIRONMENTS, type Environment } from '../../../../../src/vocabulary/environment.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { relativeDay } from '../../../format.ts';
import { liveSince } from '../live-state.ts';
import { environmentsOf } from '../view.ts';

/** The start or the end of the schedule of a redirect. */
export interface Change {
  redirect: Redirect;
  kind: 'starts' | 'ends';
  /** in ms */
  at: number;
  /** an environment serves it; otherwise it has no effect before a deployment */
  isLive: boolean;
}

/** The starts and ends in a range of times, in ms, the next one first. */
export function changesIn(redirects: readonly Redirect[], from: number, before: number): Change[] {
  const changes = redirects.flatMap((redirect): Change[] => [
    { redirect, kind: 'starts', at: Date.parse(redirect.active_from ?? ''), isLive: isLive(redirect, 'active_from') },
    { redirect, kind: 'ends', at: Date.parse(redirect.active_until ?? ''), isLive: isLive(redirect, 'active_until') },
  ]);
  return changes.filter(({ at }) => at >= from && at < before).toSorted((a, b) => a.at - b.at);
}

/** True if an environment serves the redirect, or a former state of it, with the same time. */
function isLive(redirect: Redirect, field: 'active_from' | 'active_until'): boolean {
  const since = liveSince(redirect);
  return ENVIRONMENTS.some((environment) => {
    const rule = redirect.live?.[environment];
    return rule ? rule[field] === redirect[field] : rule === undefined && since[environment] !== null;
  });
}

/** The first environment in which a deployment makes the current state live; undefined for a draft. */
export const undeployedIn = (redirect: Redirect): Environment | undefined =>
  environmentsOf(redirect).find(
    (environment) => liveSince(redirect)[environment] === null || redirect.live?.[environment] !== undefined,
  );

/** Changes by the day of the user. */
export function byDay(changes: readonly Change[]): { day: string; changes: Change[] }[] {
  const days = Map.groupBy(changes, ({ at }) => relativeDay(new Date(at).toISOString()));
  return [...days].map(([day, ofDay]) => ({ day, changes: ofDay }));
}

/** Weeks of a calendar: always a month ahead, whatever day it is. */
const WEEKS = 5;

/** The day of a date in the zone of the user, as `2026-12-24`. Swedish dates are those of ISO 8601. */
export const isoDay = (date: Date): string => date.toLocaleDateString('sv');

/** Midnight of a day. */
export const startOf = (day: string): Date => new Date(`${day}T00:00`);

export function dayAfter(day: string, count: number): string {
  const start = startOf(day);
  start.setDate(start.getDate() + count);
  return isoDay(start);
}

/** The Monday of the week of a day. */
export const mondayOf = (day: string): string => dayAfter(day, -((startOf(day).getDay() + 6) % 7));

/** The first Monday of the calendar so many calendars later; earlier if `count` is negative. */
export const periodAfter = (monday: string, count: number): string => dayAfter(monday, count * 7 * WEEKS);

/** The day in an address; undefined if it is invalid. */
export const dayIn = (text: string | null): string | undefined =>
  text !== null && /^20\d\d-\d\d-\d\d$/.test(text) && isoDay(startOf(text)) === text ? text : undefined;

/** The days of a calendar in weeks. */
export const weeksFrom = (monday: string): string[][] =>
  Array.from({ length: WEEKS }, (_, week) => [0, 1, 2, 3, 4, 5, 6].map((at) => dayAfter(monday, week * 7 + at)));
