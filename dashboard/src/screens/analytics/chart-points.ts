/** The points of the chart of hits: days or hours, each with the compared one and its releases. Pure. */
import type { Deployment, Hits, Overview } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { dayName } from './view.ts';

/** A day, or an hour of a day. */
export interface ChartPoint {
  /** the start of its time in UTC: `2026-01-31`, or `2026-01-31T07` */
  start: string;
  hits: number;
  /** hits at the same place in the compared period; undefined without data */
  before: number | undefined;
  /** versions that went live in it */
  releases: number[];
}

export type HitsByHour = Hits & Partial<Pick<Overview, 'hourly_hits'>>;

/** The hours if there are any, otherwise the days, oldest first. The hours that are left of today are empty. */
export function chartPoints(hits: HitsByHour, releases: Release[]): ChartPoint[] {
  const points = hits.hourly_hits ? hourPoints(hits.hourly_hits) : dayPoints(hits);
  return points.map((point) => ({
    ...point,
    releases: releases.flatMap(({ at, version }) => (at.startsWith(point.start) ? [version] : [])),
  }));
}

const DAY_HOURS = 24;

function hourPoints(hours: NonNullable<HitsByHour['hourly_hits']>): Omit<ChartPoint, 'releases'>[] {
  const points = hours.toReversed().map(({ hour, hits, previous_hits: before }) => ({
    start: hour.slice(0, 13),
    hits,
    before: before ?? undefined,
  }));
  const day = points.at(-1)?.start.slice(0, 10) ?? '';
  while (points.length % DAY_HOURS > 0) {
    const hour = String(points.length % DAY_HOURS).padStart(2, '0');
    points.push({ start: `${day}T${hour}`, hits: 0, before: undefined });
  }
  return points;
}

/** Both periods begin with their first day. */
function dayPoints({ daily_hits: days, previous_period: previous }: Hits): Omit<ChartPoint, 'releases'>[] {
  const before = previous?.daily_hits.toReversed();
  return days.toReversed().map(({ date, hits }, at) => ({ start: date, hits, before: before?.[at]?.hits }));
}

/** A version that went live, at a time in UTC. */
export interface Release {
  version: number;
  at: string;
}

export const releaseDay = ({ at }: Release): string => at.slice(0, 10);

/** Those that went live between two days, the newest first. */
export const releasesOf = (deployments: Deployment[], from: string, to: string): Release[] =>
  deployments.flatMap(({ status, version, deployed_at: at }) => {
    if (status !== 'completed' || version === null || at === null) return [];
    const release = { version, at };
    return releaseDay(release) >= from && releaseDay(release) <= to ? [release] : [];
  });

/** `31 Jan 2026`, or `31 Jan 2026, 07:00 UTC`. */
export const pointName = ({ start }: ChartPoint): string =>
  dayName(start.slice(0, 10)) + (isHour(start) ? `, ${start.slice(11)}:00 UTC` : '');

/** `31 Jan`, or `07:00`. */
export const pointTick = ({ start }: ChartPoint): string =>
  isHour(start) ? `${start.slice(11)}:00` : shortDay.format(new Date(start));

const isHour = (start: string): boolean => start.includes('T');
const shortDay = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', day: 'numeric', month: 'short' });

export const pointText = (point: ChartPoint | undefined): string => {
  if (!point) return '';
  const before = point.before === undefined ? '' : ` (compared: ${number(point.before)})`;
  const released = point.releases.length === 0 ? '' : `, released: ${versionsText(point.releases)}`;
  return `${pointName(point)}: ${counted(point.hits, 'hit')}${before}${released}`;
};

const MAX_NAMED = 3;

/** `version 3 and 2`, or only the first of many. */
function versionsText(versions: number[]): string {
  const names = versions.slice(0, MAX_NAMED).map((version) => `version ${version}`);
  return names.join(', ') + (versions.length > MAX_NAMED ? ` and ${versions.length - MAX_NAMED} more` : '');
}
