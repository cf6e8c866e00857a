/** The figures of the week of each website: redirects, hits by people and unmatched requests of production. */
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { utcDay } from '../platform/clock.ts';
import { lastChanges, type ShownChange } from '../redirects/changes/find-changes.ts';
import type { OverviewScope } from './item.ts';

const DAYS = 7;

export interface WebsiteFigures {
  websiteId: number;
  redirects: number;
  /** of the last 7 days (UTC), today last */
  hits: number[];
  /** of the 7 days before them */
  hitsBefore: number;
  /** unmatched requests by people in the 7 days */
  notFound: number;
  /** of the last 30 days */
  lastChange: ShownChange | null;
}

export async function websiteFigures({ db, actor, ids, now }: Omit<OverviewScope, 'live'>): Promise<WebsiteFigures[]> {
  const days = Array.from({ length: DAYS }, (_, index) => utcDay(now, index + 1 - DAYS));
  const rows = await queryRows<{
    websiteId: number;
    redirects: number;
    day: string | null;
    hits: number;
    unmatched: number;
  }>(db)`
    select w.id as website_id, w.redirects, h.* from unnest(${sql.param(ids)}::int[]) i (id) join websites w on w.id = i.id
      left join lateral (
        select day::text as day, hits, unmatched from website_hits where website_id = i.id and environment = 'production'
          and day between ${utcDay(now, 1 - 2 * DAYS)}::date and ${utcDay(now)}::date offset 0) h on true`;
  const byWebsite = Map.groupBy(rows, ({ websiteId }) => websiteId);
  const changes = new Map((await lastChanges(db, actor, ids)).map((change) => [change.websiteId, change]));
  return ids.flatMap((websiteId) => {
    const found = byWebsite.get(websiteId) ?? [];
    const sum = (of: typeof found, column: 'hits' | 'unmatched'): number =>
      of.reduce((total, row) => total + Number(row[column] ?? 0), 0);
    const ofWeek = found.filter(({ day }) => day !== null && days.includes(day));
    const hitsOn = (day: string): number =>
      sum(
        ofWeek.filter((row) => row.day === day),
        'hits',
      );
    const week = sum(ofWeek, 'hits');
    const [first] = found;
    if (!first) return [];
    return {
      ...{ websiteId, redirects: first.redirects, hits: days.map(hitsOn), hitsBefore: sum(found, 'hits') - week },
      ...{ notFound: sum(ofWeek, 'unmatched'), lastChange: changes.get(websiteId) ?? null },
    };
  });
}
