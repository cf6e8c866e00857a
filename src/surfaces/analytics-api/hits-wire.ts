import { z } from 'zod';
import type { HitReport, WebsiteHitReport } from '../../analytics/hit-report.ts';

export const HitsBody = z
  .object({
    total_hits: z.int(),
    unique_visitors: z.int(),
    avg_response_time: z.string(),
    top_countries: z.array(z.string()),
    country_hits: z.array(z.object({ country: z.string(), hits: z.int() })),
    daily_hits: z.array(z.object({ date: z.string(), hits: z.int() })),
    bot_hits: z.int(),
  })
  .meta({ id: 'RedirectHits' });
export const OverviewBody = HitsBody.extend({
  not_found: z.int(),
  top_redirects: z.array(z.object({ redirect_id: z.string(), old_path: z.string(), hits: z.int() })),
}).meta({ id: 'WebsiteHits' });

/** The hits of one redirect. */
export function hitsBody(report: HitReport): z.output<typeof HitsBody> {
  return {
    total_hits: report.hits,
    unique_visitors: report.uniqueVisitors,
    avg_response_time: milliseconds(report.averageMicros),
    top_countries: report.topCountries.map(({ country }) => country),
    country_hits: report.topCountries,
    daily_hits: report.days.map(({ day, hits }) => ({ date: day, hits })),
    bot_hits: report.botHits,
  };
}

/** The hits of a website. */
export function overviewBody(report: WebsiteHitReport): z.output<typeof OverviewBody> {
  return {
    ...hitsBody(report),
    not_found: report.notFound,
    top_redirects: report.topRedirects.map(({ redirectId, oldPath, hits }) => ({
      redirect_id: String(redirectId),
      old_path: oldPath,
      hits,
    })),
  };
}

/** Two digits that count, since an answer takes microseconds: `0.037ms`, `0.4ms`, `12ms`. */
function milliseconds(micros: number | null): string {
  if (micros === null) return '0ms';
  const milli = micros / 1_000;
  return `${milli >= 10 ? Math.round(milli) : Number(milli.toPrecision(2))}ms`;
}
