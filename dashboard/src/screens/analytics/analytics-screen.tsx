import './analytics.css';
import type { ComponentChildren } from 'preact';
import { fetchOverview } from '../../api/analytics.ts';
import type { Website } from '../../api/client/wire.ts';
import { type Params, query, setQuery } from '../../router.ts';
import { planHas } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { useWebsite } from '../../state/websites.ts';
import { LinkButton } from '../../ui/button.tsx';
import { EnvironmentSelect } from '../../ui/form/query-fields.tsx';
import { Select } from '../../ui/form/field.tsx';
import { Page } from '../../ui/page/page.tsx';
import { PlanNeeded } from '../../ui/page/plan-needed.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { Bars, CsvLink } from './bars.tsx';
import { Groups } from './groups.tsx';
import { Report, ReportSkeleton } from './report.tsx';
import { RedirectReport } from './redirect-report.tsx';
import { PERIODS, useRowLimit, type View, viewOf } from './view.ts';

const REFRESH_MS = 30_000;

/** Hits of a website, or of one of its redirects. */
export function AnalyticsScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  if (!website) return null;
  const view = viewOf(query.value);
  if (!planHas('analytics')) {
    return (
      <Page title="Analytics" lead={website.name}>
        <PlanNeeded feature="analytics" />
      </Page>
    );
  }
  const filters = <Filters view={view} />;
  return view.redirectId === undefined ? (
    <Overview website={website} view={view} filters={filters} />
  ) : (
    <RedirectReport website={website} view={view} redirectId={view.redirectId} filters={filters} />
  );
}

function Filters({ view }: { view: View }) {
  return (
    <div class="filter-bar">
      <EnvironmentSelect value={view.environment} />
      <Select
        aria-label="Period"
        value={view.period}
        options={PERIODS}
        onChoose={(name) => setQuery({ period: name === '30d' ? undefined : name })}
      />
    </div>
  );
}

interface OverviewProps {
  website: Website;
  view: View;
  filters: ComponentChildren;
}

function Overview({ website, view, filters }: OverviewProps) {
  const { environment, period } = view;
  const rows = useRowLimit();
  const found = useResource(
    `hits:${website.id}:${environment}:${period}`,
    (signal) => fetchOverview(website.id, { environment, period, limit: rows.limit() }, signal),
    { everyMs: REFRESH_MS },
  );
  const base = `/websites/${website.id}`;
  const showMore = (): void => rows.extend(found.reload);
  const inEnvironment = environment === 'production' ? '' : `?environment=${environment}`;
  return (
    <Page title="Analytics" lead={website.name} actions={filters}>
      <Loaded of={found} wait={<ReportSkeleton />}>
        {(hits) => (
          <Report
            hits={hits}
            view={view}
            websiteId={website.id}
            notFound={{ count: hits.not_found, href: `${base}/not-found${inEnvironment}` }}
            onMore={showMore}
            empty={<NoHits base={base} />}
          >
            <Bars
              title="Top redirects"
              emptyText="All redirects with hits have been deleted."
              total={hits.total_hits}
              rows={hits.top_redirects.map(({ redirect_id, old_path, hits: count }) => ({
                key: redirect_id,
                label: old_path,
                isPath: true,
                count,
                href: reportUrl(base, view, redirect_id),
              }))}
              others="Other or deleted redirects"
              csv={<CsvLink websiteId={website.id} view={view} table="redirects" />}
              onMore={showMore}
            />
            <Groups websiteId={website.id} view={view} total={hits.total_hits} />
          </Report>
        )}
      </Loaded>
    </Page>
  );
}

function reportUrl(base: string, { environment, period }: View, redirectId: string): string {
  const next = new URLSearchParams({ redirect: redirectId });
  if (environment !== 'production') next.set('environment', environment);
  if (period !== '30d') next.set('period', period);
  return `${base}/analytics?${next.toString()}`;
}

function NoHits({ base }: { base: string }) {
  return (
    <Empty
      icon="analytics"
      title="No hits in this period"
      actions={<LinkButton href={`${base}/tester`}>Test a URL</LinkButton>}
    >
      Hits appear here within a second after visitors request redirected paths on a host of this environment.
    </Empty>
  );
}
