import './analytics.css';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fetchGroupHits, fetchOverview, fetchRedirectHits } from '../../api/analytics.ts';
import type { Hits, Overview, Redirect, Website } from '../../api/client/wire.ts';
import { fetchRedirect } from '../../api/redirects.ts';
import { query, setQuery, urlWith } from '../../router.ts';
import { planHas } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { QueryToken } from '../../ui/form/query-fields.tsx';
import { Page } from '../../ui/page/page.tsx';
import { PlanNeeded } from '../../ui/page/plan-needed.tsx';
import { Empty, Loaded, Problem } from '../../ui/page/states.tsx';
import { activityUrl, redirectUrl } from '../../urls.ts';
import { Bars } from './bars.tsx';
import { NamedAgents } from './named-agents.tsx';
import { PeriodFields } from './period-fields.tsx';
import { Report, ReportSkeleton } from './report.tsx';
import { narrowed, notStored, tokensOf, useRowLimit, type View, viewOf } from './view.ts';

const REFRESH_MS = 30_000;

/** Hits of a website, narrowed by the filters of the URL. */
export function AnalyticsScreen({ website }: { website: Website }) {
  if (planHas('analytics')) return <Traffic website={website} view={viewOf(query.value, website.id)} />;
  return (
    <Page title="Analytics" lead={website.name}>
      <PlanNeeded feature="analytics" />
    </Page>
  );
}

type Found = Hits &
  Partial<Pick<Overview, 'not_found' | 'hourly_hits' | 'top_redirects' | 'named_agents' | 'unnamed_requests'>>;

function Traffic({ website, view }: { website: Website; view: View }) {
  const { websiteId, redirectId, group } = view;
  const rows = useRowLimit();
  const isNarrowed = tokensOf(query.value, undefined).length > 0;
  const found = useResource(
    `hits:${websiteId}:${redirectId}:${group}:${JSON.stringify(view.query)}`,
    async (signal): Promise<{ hits: Found; redirect?: Redirect }> => {
      const options = { ...view.query, limit: rows.limit() };
      if (redirectId === undefined)
        return { hits: await fetchOverview(websiteId, { ...options, group_id: group }, signal) };
      const [hits, { redirect }] = await Promise.all([
        fetchRedirectHits(redirectId, options, signal),
        fetchRedirect(Number(redirectId), signal),
      ]);
      return { hits, redirect };
    },
    // Filters may read every redirect with hits.
    { everyMs: isNarrowed ? undefined : REFRESH_MS },
  );
  const redirect = found.data.value?.redirect;
  const onMore = (): void => rows.extend(found.reload);
  return (
    <Page
      title={redirect?.old_path ?? 'Analytics'}
      lead={redirect ? <RedirectFacts redirect={redirect} /> : website.name}
      actions={<PeriodFields view={view} />}
    >
      <Filters view={view} path={redirect?.old_path} />
      {redirectId !== undefined && found.error.value?.status === 404 ? (
        <Empty
          icon="missing"
          title="Redirect not found"
          actions={<Button onClick={() => setQuery({ redirect: undefined })}>All redirects</Button>}
        >
          It was deleted. The website's totals still include its hits.
        </Empty>
      ) : (
        <Loaded of={found} wait={<ReportSkeleton />}>
          {({ hits }) => (
            <Report
              hits={hits}
              view={view}
              onMore={onMore}
              empty={
                <>
                  <NoHits view={view} />
                  <NamedAgents hits={hits} />
                </>
              }
            >
              {hits.top_redirects && <TopRedirects hits={hits} view={view} onMore={onMore} />}
              {redirectId === undefined && group === undefined && <Groups view={view} hits={hits} />}
              <NamedAgents hits={hits} />
            </Report>
          )}
        </Loaded>
      )}
    </Page>
  );
}

/** Focuses the token of a new filter, as the row that set it may go, or another one if the focused one has gone. */
function useTokenFocus(names: readonly string[]) {
  const group = useRef<HTMLDivElement>(null);
  const former = useRef(names);
  useLayoutEffect(() => {
    const added = names.findIndex((name) => !former.current.includes(name));
    const isLost = document.activeElement === document.body && former.current.length > names.length;
    former.current = names;
    if (added === -1 && !isLost) return;
    const token = group.current?.querySelectorAll('button')[Math.max(added, 0)];
    (token ?? document.getElementById('main'))?.focus();
  }, [names.join()]);
  return group;
}

/** The filters as tokens, and the figures that they leave out. */
function Filters({ view, path }: { view: View; path: string | undefined }) {
  const tokens = tokensOf(query.value, path);
  const group = useTokenFocus(tokens.map(({ name }) => `${name}=${query.value.get(name)}`));
  if (tokens.length === 0) return null;
  return (
    <div ref={group} class="row wrap" role="group" aria-label="Filters">
      {tokens.map(({ name, label }) => (
        <QueryToken key={name} name={name} label={label} />
      ))}
      {view.group !== undefined && (
        <a
          class="small"
          href={`/websites/${view.websiteId}/redirects?${new URLSearchParams({ group: view.group }).toString()}`}
        >
          Redirects of the group
        </a>
      )}
      <span class="small muted">{notStored(view)}</span>
    </div>
  );
}

function RedirectFacts({ redirect }: { redirect: Redirect }) {
  const { id, website_id: websiteId, old_path, new_path, status_code } = redirect;
  return (
    <span class="row wrap break">
      <span>{new_path === null ? `Responds with ${status_code}` : `Redirects to ${new_path}`}</span>
      <a href={redirectUrl(websiteId, id)}>Open redirect</a>
      <a href={activityUrl(websiteId, { path: old_path })}>Activity</a>
    </span>
  );
}

function NoHits({ view: { websiteId, redirectId } }: { view: View }) {
  const href = redirectId === undefined ? `/websites/${websiteId}/tester` : redirectUrl(websiteId, redirectId);
  return (
    <Empty
      icon="analytics"
      title="No hits in this period"
      actions={<LinkButton href={href}>{redirectId === undefined ? 'Test a URL' : 'Open redirect'}</LinkButton>}
    >
      Hits appear here within a second after visitors request redirected paths on a host of this environment.
    </Empty>
  );
}

function TopRedirects({ hits, view, onMore }: { hits: Found; view: View; onMore: () => void }) {
  return (
    <Bars
      table="redirects"
      title="Top redirects"
      emptyText="All redirects with hits have been deleted."
      view={view}
      total={hits.total_hits}
      rows={(hits.top_redirects ?? []).map(
        ({ redirect_id: id, old_path: path, hits: count, previous_hits: before }) => ({
          key: id,
          label: path,
          isPath: true,
          count,
          before,
          href: urlWith(narrowed('redirect', id)),
        }),
      )}
      others="Other or deleted redirects"
      onMore={onMore}
    />
  );
}

/** Hits by group; nothing if no group has hits. */
function Groups({ view, hits: { total_hits: total, previous_period: previous } }: { view: View; hits: Found }) {
  const { websiteId } = view;
  const rows = useRowLimit();
  const { data, error, reload } = useResource(`group-hits:${websiteId}:${JSON.stringify(view.query)}`, (signal) =>
    fetchGroupHits(websiteId, { ...view.query, limit: rows.limit() }, signal),
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
      rows={groups.map(({ group_id: group, hits, previous_hits: before }) => ({
        key: group,
        label: group,
        count: hits,
        before: previous && before,
        href: urlWith(narrowed('group', group)),
      }))}
      others="Other groups"
      unnamed={[{ label: 'No group', count: Math.max(0, total - grouped) }]}
      onMore={() => rows.extend(reload)}
    />
  );
}
