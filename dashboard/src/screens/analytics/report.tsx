/** The parts that the report of a website and that of a redirect share. */
import type { ComponentChildren } from 'preact';
import type { Hits } from '../../api/client/wire.ts';
import { Skeleton } from '../../ui/page/states.tsx';
import { Bars, type BarsProps, CsvLink } from './bars.tsx';
import { Daily } from './daily.tsx';
import { Tiles } from './tiles.tsx';
import { countryName, type View } from './view.ts';

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
  notFound,
  onMore,
  empty,
  children,
}: {
  hits: Hits;
  view: View;
  notFound?: { count: number; href: string };
  onMore: () => void;
  /** instead of the lists, if there are no hits */
  empty: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <>
      <Tiles hits={hits} notFound={notFound} />
      {hits.total_hits === 0 ? (
        empty
      ) : (
        <>
          <Daily hits={hits} csv={<CsvLink view={view} table="days" />} />
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

/** Origins of visitors: countries, referrer hosts, and UTM sources if there are any. */
function originsOf(hits: Hits): Origin[] {
  const { total_hits: total, referrer_hits: withReferrer, utm_source_hits: withSource } = hits;
  const origins: Origin[] = [
    {
      table: 'countries',
      title: 'Countries',
      emptyText: 'No country is known for these visitors.',
      rows: hits.country_hits.map(({ country, hits: count }) => ({ key: country, label: countryName(country), count })),
      others: 'Other countries',
      unnamed: [{ label: 'Unknown', count: hits.unknown_country_hits }],
    },
    {
      table: 'referrers',
      title: 'Referrers',
      emptyText: 'No other website is known to have sent visitors.',
      rows: hits.top_referrers.map(({ host, hits: count }) => ({ key: host, label: host, count })),
      others: 'Other websites and apps',
      unnamed: [
        { label: 'This website', count: hits.internal_referrer_hits },
        { label: 'Direct or unknown', count: Math.max(0, total - withReferrer) },
      ],
    },
    {
      table: 'utm_sources',
      title: 'UTM sources',
      emptyText: 'No valid UTM source.',
      rows: hits.top_utm_sources.map(({ source, hits: count }) => ({ key: source, label: source, count })),
      others: 'Other sources',
      unnamed: [{ label: 'Without a UTM source', count: Math.max(0, total - withSource) }],
    },
  ];
  return withSource > 0 ? origins : origins.slice(0, 2);
}
