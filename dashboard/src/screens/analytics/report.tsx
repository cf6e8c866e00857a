/** The parts that the report of a website and that of a redirect share. */
import type { ComponentChildren } from 'preact';
import type { Hits } from '../../api/client/wire.ts';
import { Skeleton } from '../../ui/page/states.tsx';
import { CsvLink } from './bars.tsx';
import { Daily } from './daily.tsx';
import { Countries, Sources } from './origins.tsx';
import { Tiles } from './tiles.tsx';
import type { View } from './view.ts';

/** Has the size of a report. */
export function ReportSkeleton() {
  return (
    <>
      <div class="tiles">
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
  websiteId,
  notFound,
  onMore,
  empty,
  children,
}: {
  hits: Hits;
  view: View;
  websiteId: number;
  notFound?: { count: number; href: string };
  onMore: () => void;
  /** instead of the lists, if there are no hits */
  empty: ComponentChildren;
  children?: ComponentChildren;
}) {
  const origin = { hits, websiteId, view, onMore };
  return (
    <>
      <Tiles hits={hits} {...(notFound && { notFound })} />
      {hits.total_hits === 0 ? (
        empty
      ) : (
        <>
          <Daily hits={hits} csv={<CsvLink websiteId={websiteId} view={view} table="days" />} />
          <div class="report-columns">
            {children}
            <Countries {...origin} />
            <Sources {...origin} />
          </div>
        </>
      )}
    </>
  );
}
