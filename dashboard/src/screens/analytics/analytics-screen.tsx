import './analytics.css';
import { fetchGroupHits, fetchOverview } from '../../api/analytics.ts';
import type { Website } from '../../api/client/wire.ts';
import { query, urlWith } from '../../router.ts';
import { planHas } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { LinkButton } from '../../ui/button.tsx';
import { QuerySelect } from '../../ui/form/query-fields.tsx';
import { Page } from '../../ui/page/page.tsx';
import { PlanNeeded } from '../../ui/page/plan-needed.tsx';
import { Empty, Loaded, Problem } from '../../ui/page/states.tsx';
import { Bars } from './bars.tsx';
import { Report, ReportSkeleton } from './report.tsx';
import { RedirectReport } from './redirect-report.tsx';
import { PERIODS, useRowLimit, type View, viewOf } from './view.ts';

const REFRESH_MS = 30_000;

/** Hits of a website, or of one of its redirects. */
export function AnalyticsScreen({ website }: { website: Website }) {
  const view = viewOf(query.value, website.id);
  if (!planHas('analytics')) {
    return (
      <Page title="Analytics" lead={website.name}>
        <PlanNeeded feature="analytics" />
      </Page>
    );
  }
  const filters = (
    <div class="filter-bar">
      <QuerySelect label="Period" name="period" value={view.period} options={PERIODS} standard="30d" />
    </div>
  );
  return view.redirectId === undefined ? (
    <Page title="Analytics" lead={website.name} actions={filters}>
      <Overview view={view} />
    </Page>
  ) : (
    <RedirectReport view={view} redirectId={view.redirectId} filters={filters} />
  );
}

function Overview({ view }: { view: View }) {
  const { websiteId, environment, period } = view;
  const rows = useRowLimit();
  const found = useResource(
    `hits:${websiteId}:${environment}:${period}`,
    (signal) => fetchOverview(websiteId, { environment, period, limit: rows.limit() }, signal),
    { everyMs: REFRESH_MS },
  );
  const base = `/websites/${websiteId}`;
  const showMore = (): void => rows.extend(found.reload);
  const inEnvironment = environment === 'production' ? '' : `?environment=${environment}`;
  return (
    <Loaded of={found} wait={<ReportSkeleton />}>
      {(hits) => (
        <Report
          hits={hits}
          view={view}
          notFound={{ count: hits.not_found, href: `${base}/not-found${inEnvironment}` }}
          onMore={showMore}
          empty={
            <Empty
              icon="analytics"
              title="No hits in this period"
              actions={<LinkButton href={`${base}/tester`}>Test a URL</LinkButton>}
            >
              Hits appear here within a second after visitors request redirected paths on a host of this environment.
            </Empty>
          }
        >
          <Bars
            table="redirects"
            title="Top redirects"
            emptyText="All redirects with hits have been deleted."
            view={view}
            total={hits.total_hits}
            rows={hits.top_redirects.map(({ redirect_id, old_path, hits: count }) => ({
              key: redirect_id,
              label: old_path,
              isPath: true,
              count,
              href: urlWith({ redirect: redirect_id }),
            }))}
            others="Other or deleted redirects"
            onMore={showMore}
          />
          <Groups view={view} total={hits.total_hits} />
        </Report>
      )}
    </Loaded>
  );
}

/** Hits by group; nothing if no group has hits. A group opens the list of its redirects. */
function Groups({ view, total }: { view: View; total: number }) {
  const { websiteId, environment, period } = view;
  const rows = useRowLimit();
  const { data, error, reload } = useResource(`group-hits:${websiteId}:${environment}:${period}`, (signal) =>
    fetchGroupHits(websiteId, { environment, period, limit: rows.limit() }, signal),
  );
  if (error.value) return <Problem error={error.value} onRetry={reload} />;
  const { groups = [], grouped_hits: grouped = 0 } = data.value ?? {};
  if (groups.length === 0) return null;
  return (
    <Bars
      table="groups"
      title="Groups"
      emptyText=""
      view={view}
      total={Math.max(total, grouped)}
      rows={groups.map(({ group_id, hits }) => ({
        key: group_id,
        label: group_id,
        count: hits,
        href: `/websites/${websiteId}/redirects?${new URLSearchParams({ group: group_id }).toString()}`,
      }))}
      others="Other groups"
      unnamed={[{ label: 'No group', count: Math.max(0, total - grouped) }]}
      onMore={() => rows.extend(reload)}
    />
  );
}
