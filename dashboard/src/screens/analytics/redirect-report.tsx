import type { ComponentChildren } from 'preact';
import { fetchRedirectHits } from '../../api/analytics.ts';
import { fetchRedirect } from '../../api/redirects.ts';
import type { Redirect } from '../../api/client/wire.ts';
import { setQuery } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { activityUrl, redirectUrl } from '../../urls.ts';
import { Report, ReportSkeleton } from './report.tsx';
import { useRowLimit, type View } from './view.ts';

const showAll = (): void => setQuery({ redirect: undefined });

export function RedirectReport(props: { view: View; redirectId: string; filters: ComponentChildren }) {
  const { view, redirectId, filters } = props;
  const { websiteId, environment, period } = view;
  const rows = useRowLimit();
  const found = useResource(`redirect-hits:${redirectId}:${environment}:${period}`, async (signal) => {
    const [hits, { redirect }] = await Promise.all([
      fetchRedirectHits(redirectId, { environment, period, limit: rows.limit() }, signal),
      fetchRedirect(Number(redirectId), signal),
    ]);
    return { hits, redirect };
  });
  const redirect = found.data.value?.redirect;
  return (
    <Page title={redirect?.old_path ?? 'Redirect'} lead={<Lead redirect={redirect} />} actions={filters}>
      {found.error.value?.status === 404 ? (
        <Empty icon="missing" title="Redirect not found" actions={<Button onClick={showAll}>All redirects</Button>}>
          It was deleted. The website's totals still include its hits.
        </Empty>
      ) : (
        <Loaded of={found} wait={<ReportSkeleton />}>
          {({ hits }) => (
            <Report
              hits={hits}
              view={view}
              onMore={() => rows.extend(found.reload)}
              empty={
                <Empty
                  icon="analytics"
                  title="No hits in this period"
                  actions={<LinkButton href={redirectUrl(websiteId, redirectId)}>Open redirect</LinkButton>}
                />
              }
            />
          )}
        </Loaded>
      )}
    </Page>
  );
}

function Lead({ redirect }: { redirect: Redirect | undefined }) {
  return (
    <span class="row wrap break">
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
