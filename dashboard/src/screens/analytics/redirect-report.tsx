import type { ComponentChildren } from 'preact';
import { fetchRedirectHits } from '../../api/analytics.ts';
import { fetchRedirect } from '../../api/redirects.ts';
import type { Hits, Redirect, Website } from '../../api/wire.ts';
import { setQuery } from '../../router.ts';
import { useResource } from '../../state/use-resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { Countries } from './countries.tsx';
import { Daily } from './daily.tsx';
import { ReportSkeleton } from './report-skeleton.tsx';
import { Tiles } from './tiles.tsx';
import type { View } from './view.ts';

const toAll = (): void => setQuery({ redirect: undefined });

/** The hits of one redirect. */
export function RedirectReport({
  website,
  view: { environment, period },
  redirectId,
  filters,
}: {
  website: Website;
  view: View;
  redirectId: string;
  filters: ComponentChildren;
}) {
  const found = useResource(`redirect-hits:${redirectId}:${environment}:${period}`, async (signal) => {
    const [hits, { redirect }] = await Promise.all([
      fetchRedirectHits(redirectId, { environment, period }, signal),
      fetchRedirect(Number(redirectId), signal),
    ]);
    return { hits, redirect };
  });
  const { data, error } = found;
  const { hits, redirect } = data.value ?? {};
  const isGone = error.value?.status === 404;
  return (
    <Page title={redirect?.old_path ?? 'Redirect'} lead={<Lead redirect={redirect} />} actions={filters}>
      {isGone && (
        <Empty
          icon="missing"
          title="There is no such redirect"
          actions={<Button onClick={toAll}>All redirects</Button>}
        >
          It was deleted. Its hits stay in those of the website.
        </Empty>
      )}
      {error.value && !isGone && <Problem error={error.value} onRetry={found.reload} />}
      {!hits && !error.value && <ReportSkeleton />}
      {hits && (
        <Numbers hits={hits} redirectAddress={`/websites/${website.id}/redirects?open=${redirectId}`} />
      )}
    </Page>
  );
}

function Numbers({ hits, redirectAddress }: { hits: Hits; redirectAddress: string }) {
  return (
    <>
      <Tiles hits={hits} />
      {hits.total_hits === 0 ? (
        <Empty
          icon="analytics"
          title="Nobody followed it in this time"
          actions={<LinkButton href={redirectAddress}>Open the redirect</LinkButton>}
        />
      ) : (
        <>
          <Daily days={hits.daily_hits} />
          <div class="report-columns">
            <Countries hits={hits} />
          </div>
        </>
      )}
    </>
  );
}

function Lead({ redirect }: { redirect: Redirect | undefined }) {
  return (
    <span class="report-lead break">
      <Button size="small" onClick={toAll}>
        All redirects
      </Button>
      {redirect && (
        <>
          <span>
            {redirect.new_path === null ? `answers ${redirect.status_code}` : `leads to ${redirect.new_path}`}
          </span>
          <a href={`/websites/${redirect.website_id}/redirects?open=${redirect.id}`}>Open it</a>
          <a href={`/activity?redirect=${redirect.id}`}>Its changes</a>
        </>
      )}
    </span>
  );
}
