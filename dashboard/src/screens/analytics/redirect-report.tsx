import type { ComponentChildren } from 'preact';
import { fetchRedirectHits } from '../../api/analytics.ts';
import { fetchRedirect } from '../../api/redirects.ts';
import type { Hits, Redirect, Website } from '../../api/wire.ts';
import { setQuery } from '../../router.ts';
import { useResource } from '../../state/use-resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { activityUrl, redirectUrl } from '../../urls.ts';
import { CsvLink } from './csv-link.tsx';
import { Daily } from './daily.tsx';
import { ReportSkeleton } from './report-skeleton.tsx';
import { Countries, Sources } from './origins.tsx';
import { Tiles } from './tiles.tsx';
import { useRowLimit, type View } from './view.ts';

const showAll = (): void => setQuery({ redirect: undefined });

/** The hits of one redirect. */
export function RedirectReport({
  website,
  view,
  redirectId,
  filters,
}: {
  website: Website;
  view: View;
  redirectId: string;
  filters: ComponentChildren;
}) {
  const { environment, period } = view;
  const rows = useRowLimit();
  const found = useResource(`redirect-hits:${redirectId}:${environment}:${period}`, async (signal) => {
    const [hits, { redirect }] = await Promise.all([
      fetchRedirectHits(redirectId, { environment, period, limit: rows.limit() }, signal),
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
        <Empty icon="missing" title="Redirect not found" actions={<Button onClick={showAll}>All redirects</Button>}>
          It was deleted. The website's totals still include its hits.
        </Empty>
      )}
      {error.value && !isGone && <Problem error={error.value} onRetry={found.reload} />}
      {!hits && !error.value && <ReportSkeleton />}
      {hits && (
        <Report
          hits={hits}
          websiteId={website.id}
          view={view}
          openUrl={redirectUrl(website.id, redirectId)}
          onMore={() => rows.extend(found.reload)}
        />
      )}
    </Page>
  );
}

interface ReportProps {
  hits: Hits;
  websiteId: number;
  view: View;
  openUrl: string;
  onMore: () => void;
}

function Report({ hits, websiteId, view, openUrl, onMore }: ReportProps) {
  return (
    <>
      <Tiles hits={hits} />
      {hits.total_hits === 0 ? (
        <Empty
          icon="analytics"
          title="No hits in this period"
          actions={<LinkButton href={openUrl}>Open redirect</LinkButton>}
        />
      ) : (
        <>
          <Daily hits={hits} csv={<CsvLink websiteId={websiteId} view={view} table="days" />} />
          <div class="report-columns">
            <Countries hits={hits} websiteId={websiteId} view={view} onMore={onMore} />
            <Sources hits={hits} websiteId={websiteId} view={view} onMore={onMore} />
          </div>
        </>
      )}
    </>
  );
}

function Lead({ redirect }: { redirect: Redirect | undefined }) {
  return (
    <span class="report-lead break">
      <Button size="small" onClick={showAll}>
        All redirects
      </Button>
      {redirect && (
        <>
          <span>
            {redirect.new_path === null ? `Responds with ${redirect.status_code}` : `Redirects to ${redirect.new_path}`}
          </span>
          <a href={redirectUrl(redirect.website_id, redirect.id)}>Open redirect</a>
          <a href={activityUrl(redirect.website_id, { path: redirect.old_path })}>Activity</a>
        </>
      )}
    </span>
  );
}
