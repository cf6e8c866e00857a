import './urls.css';
import { writes } from '../../api/client/client.ts';
import { checkUrls, listUrlLists, urlExport } from '../../api/urls.ts';
import type { UrlCheck, UrlList, Website } from '../../api/client/wire.ts';
import { closeQuery, query, setQuery } from '../../router.ts';
import { type Resource, useOnChange, useResource } from '../../state/resource/use-resource.ts';
import { mayEdit } from '../../state/session.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Empty, Problem, Skeleton } from '../../ui/page/states.tsx';
import { AcceptedPanel } from './accepted-panel.tsx';
import { ListsPanel } from './lists-panel.tsx';
import { PushFile } from './push-file.tsx';
import { FoundUrls } from './url-list.tsx';
import { ANSWERS, answeredIn, type View, viewOf } from './view.ts';

const closePanel = (): void => closeQuery('panel');

/** The URLs of a website by what answers them, with their lists. Each write of this page reloads all of it. */
export function UrlsScreen({ website }: { website: Website }) {
  const view = viewOf(query.value);
  const { environment } = view.filter;
  const check = useResource(`url-check:${website.id}:${environment}`, (signal) =>
    checkUrls(website.id, { environment, against: 'live' }, signal),
  );
  const lists = useResource(
    `url-lists:${website.id}`,
    async (signal) => (await listUrlLists(website.id, signal)).lists,
  );
  useOnChange(writes.value, check.reload);
  useOnChange(writes.value, lists.reload);
  const loaded = lists.data.value ?? [];
  const panel = query.value.get('panel');
  const answered = answeredIn(view, check.data.value?.check.lost);
  return (
    <Page
      title="URLs"
      lead={
        <>
          {answered ? ANSWERS[answered].help : `Addresses of ${website.name}, and what visitors get there.`}{' '}
          {!mayEdit.value && <span class="badge warn">Read only</span>}
        </>
      }
      more={[
        { label: 'Lists', run: () => setQuery({ panel: 'lists' }) },
        { label: 'Accepted losses', run: () => setQuery({ panel: 'accepted' }) },
        { label: 'Export', icon: 'file', href: urlExport(website.id, view.filter), download: true },
      ]}
      actions={mayEdit.value && <PushFile {...{ website, environment, lists: loaded }} />}
    >
      <Urls {...{ website, view, check, lists: lists.data.value }} />
      {panel === 'lists' && <ListsPanel website={website} lists={lists} onClose={closePanel} />}
      {panel === 'accepted' && <AcceptedPanel website={website} onClose={closePanel} />}
    </Page>
  );
}

/** The URLs, or what the screen is for. They are also listed if the check fails. */
function Urls(props: { website: Website; view: View; check: Resource<UrlCheck>; lists: UrlList[] | undefined }) {
  const { website, view, check, lists } = props;
  const counts = check.data.value?.check;
  if (!counts && !check.error.value) return <Skeleton lines={8} height={22} />;
  // Without a list, the known URLs are only the paths and targets of redirects, and requested paths.
  const hasNoList = lists?.length === 0;
  if (counts?.urls === 0 && hasNoList) return <NoUrls website={website} />;
  return (
    <>
      {hasNoList && <NoUrls website={website} />}
      {check.error.value && <Problem error={check.error.value} onRetry={check.reload} />}
      <FoundUrls
        {...{ website, view, counts }}
        lists={(lists ?? []).filter((each) => each.environment === view.filter.environment)}
      />
    </>
  );
}

function NoUrls({ website: { id, hosts } }: { website: Website }) {
  const host = hosts.find(({ redirect_to: redirect }) => !redirect)?.hostname ?? String(id);
  const command = `detour urls push dist -w ${host}`;
  return (
    <Empty
      icon="urls"
      title="Drop a sitemap or a list of URLs here"
      actions={<CopyField label="Or push a built website with the command line" text={command} isFocused={false} />}
    >
      Detour then knows which pages live. A page that leaves the list without a redirect is lost: this screen shows it,
      and the gate of deployments can prevent it. Sitemaps, text, CSV, JSON and files of crawlers and search engines are
      recognised, and checked before anything changes.
    </Empty>
  );
}
