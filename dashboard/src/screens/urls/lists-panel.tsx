import { useSignal } from '@preact/signals';
import { fetchSitemaps, restoreUrls } from '../../api/urls.ts';
import type { UrlList, Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import type { Resource } from '../../state/resource/use-resource.ts';
import { toast } from '../../state/toasts.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ActorName } from '../../ui/list/field-changes.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { EnvironmentBadge } from '../../ui/text/environment.tsx';
import { Time } from '../../ui/text/time.tsx';
import { versionText } from './url-words.ts';

/** The lists of living pages with their former states, and the sitemaps. */
export function ListsPanel(props: { website: Website; lists: Resource<UrlList[]>; onClose: () => void }) {
  const { website, lists, onClose } = props;
  return (
    <Dialog title="Lists" shape="side" onClose={onClose}>
      <div class="dialog-body fields">
        <Sitemaps website={website} />
        <Loaded of={lists} lines={6}>
          {(loaded) =>
            loaded.length === 0 ? (
              <Empty icon="file" title="No lists yet">
                Drop a file on the screen, or push one with the command line.
              </Empty>
            ) : (
              loaded.map((list) => <OneList key={`${list.environment} ${list.list}`} website={website} list={list} />)
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
}

function Sitemaps({ website: { id, sitemap_urls: sitemaps } }: { website: Website }) {
  const settings = <a href={`/websites/${id}/settings`}>Settings</a>;
  if (sitemaps.length === 0) return <p class="muted">Name sitemaps in {settings} to fetch them every night.</p>;
  async function fetchNow(): Promise<void> {
    const { lists } = await fetchSitemaps(id);
    const failed = lists.filter(({ problem }) => problem !== null).length;
    toast(failed === 0 ? 'Sitemaps fetched' : `${counted(failed, 'sitemap')} could not be fetched`);
  }
  return (
    <p class="row wrap apart">
      <span class="muted">
        {counted(sitemaps.length, 'sitemap')} of {settings}, fetched every night.
      </span>
      {mayEdit.value && (
        <ActionButton size="small" onAct={fetchNow} failure="Could not fetch the sitemaps">
          Fetch now
        </ActionButton>
      )}
    </p>
  );
}

function OneList({ website, list }: { website: Website; list: UrlList }) {
  const { list: name, environment, list_version: current, fetched_at: fetched, problem } = list;
  const address = website.sitemap_urls.find((_, at) => name === `sitemap:${at + 1}`);
  const chosen = useSignal<UrlList['versions'][number] | undefined>(undefined);
  async function restore(version: number): Promise<void> {
    const { urls } = await restoreUrls(website.id, { list: name, environment, list_version: version });
    toast(`${name} restored: ${versionText(urls)}`);
  }
  return (
    <section class="stack">
      <h3 class="row wrap">
        {name} <EnvironmentBadge environment={environment} />
      </h3>
      <p class="small muted break">
        {counted(list.total, 'URL')}
        {address && ` of ${address}`}
        {current > 0 && (fetched === null ? ', pushed ' : ', fetched ')}
        {current > 0 && <Time at={list.pushed_at} />}
      </p>
      {problem !== null && (
        <p class="warned break">
          The last fetch failed {fetched && <Time at={fetched} />}, so the list stays: {problem}
        </p>
      )}
      {list.versions.length > 0 && (
        <ul class="row-list card version-list" aria-label={`Versions of ${name} in ${environment}`}>
          {list.versions.map((version) => (
            <li key={version.list_version}>
              <span>
                Version {version.list_version}: {versionText(version)}
                <span class="small muted">
                  {' '}
                  by <ActorName actor={version.actor} />, <Time at={version.created_at} />
                </span>
              </span>
              {version.list_version === current && <span class="badge ok">Current</span>}
              {version.list_version !== current && mayEdit.value && (
                <Button size="small" onClick={() => (chosen.value = version)}>
                  Restore<span class="unseen"> version {version.list_version}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {chosen.value && (
        <Confirm
          title={`Restore version ${chosen.value.list_version} of ${name}?`}
          verb="Restore"
          onConfirm={() => restore(chosen.value?.list_version ?? current)}
          onClose={() => (chosen.value = undefined)}
        >
          The list gets the {counted(chosen.value.total, 'URL')} of that version, as a new version. The current one can
          be restored in the same way.
        </Confirm>
      )}
    </section>
  );
}
