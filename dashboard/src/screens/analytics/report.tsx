/** The parts that the report of a website and that of a redirect share. */
import type { ComponentChildren } from 'preact';
import type { Hits } from '../../api/client/wire.ts';
import { urlWith } from '../../router.ts';
import { Skeleton } from '../../ui/page/states.tsx';
import { Bars, type BarsProps, CsvLink } from './bars.tsx';
import { Daily } from './daily.tsx';
import { Tiles } from './tiles.tsx';
import type { HitsByHour } from './chart-points.ts';
import { countryName, narrowed, type View } from './view.ts';

/** Has the size of a report. */
export function ReportSkeleton() {
  return (
    <>
      <div class="stack gap-3 tiles">
        {[1, 2, 3, 4].map((each) => (
          <div key={each} class="card">
            <Skeleton lines={2} height={22} />
          </div>
        ))}
      </div>
      <div class="card report-wait">
        <Skeleton lines={6} height={22} />
      </div>
    </>
  );
}

/** Totals, days and origins of hits. `children`: further lists. */
export function Report({
  hits,
  view,
  onMore,
  empty,
  children,
}: {
  hits: HitsByHour & { not_found?: number | null };
  view: View;
  onMore: () => void;
  /** instead of the lists, if there are no hits */
  empty: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <>
      <Tiles hits={hits} view={view} />
      {hits.total_hits === 0 ? (
        empty
      ) : (
        <>
          <Daily hits={hits} view={view} csv={<CsvLink view={view} table="days" />} />
          <div class="stack gap-4 top report-columns">
            {children}
            {originsOf(hits).map((origin) => (
              <Bars key={origin.table} {...origin} total={hits.total_hits} view={view} onMore={onMore} />
            ))}
          </div>
        </>
      )}
    </>
  );
}

type Origin = Omit<BarsProps, 'total'>;

/** Origins of visitors: countries, referrer hosts, and UTM sources if there are any; none of a part of the hits. */
function originsOf(hits: Hits): Origin[] {
  const { total_hits: total, referrer_hits: withReferrer, utm_source_hits: withSource } = hits;
  if (withReferrer === null || withSource === null) return [];
  const rowOf = (
    filter: 'country' | 'referrer' | 'utm_source',
    key: string,
    { hits: count, previous_hits }: Counts,
  ) => ({
    key,
    label: filter === 'country' ? countryName(key) : key,
    count,
    before: previous_hits,
    href: urlWith(narrowed(filter, key)),
  });
  const origins: Origin[] = [
    {
      table: 'countries',
      title: 'Countries',
      emptyText: 'No country is known for these visitors.',
      rows: (hits.country_hits ?? []).map((each) => rowOf('country', each.country, each)),
      others: 'Other countries',
      unnamed: [{ label: 'Unknown', count: hits.unknown_country_hits ?? 0 }],
    },
    {
      table: 'referrers',
      title: 'Referrers',
      emptyText: 'No other website is known to have sent visitors.',
      rows: (hits.top_referrers ?? []).map((each) => rowOf('referrer', each.host, each)),
      others: 'Other websites and apps',
      unnamed: [
        { label: 'This website', count: hits.internal_referrer_hits ?? 0 },
        { label: 'Direct or unknown', count: Math.max(0, total - withReferrer) },
      ],
    },
    {
      table: 'utm_sources',
      title: 'UTM sources',
      emptyText: 'No valid UTM source.',
      rows: (hits.top_utm_sources ?? []).map((each) => rowOf('utm_source', each.source, each)),
      others: 'Other sources',
      unnamed: [{ label: 'Without a UTM source', count: Math.max(0, total - withSource) }],
    },
  ];
  return withSource > 0 ? origins : origins.slice(0, 2);
}

interface Counts {
  hits: number;
  previous_hits: number | null;
}
