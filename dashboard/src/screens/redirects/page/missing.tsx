import type { Website } from '../../../api/client/wire.ts';
import { fetchHistory } from '../../../api/changes.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/page/states.tsx';
import { Time } from '../../../ui/text/time.tsx';
import { activityUrl, redirectUrl } from '../../../urls.ts';

/** In place of a redirect that does not exist: its deletion, whose change can be undone, if it is still known. */
export function Missing({ website, id }: { website: Website; id: string }) {
  const { data } = useResource(`deleted:${id}`, (signal) => fetchHistory(Number(id), { limit: 1 }, signal));
  const last = data.value?.history[0];
  return (
    <div role="alert">
      <Empty
        icon="redirects"
        title={last ? 'This redirect was deleted' : 'This redirect was deleted or never existed'}
        actions={
          <>
            {last && (
              <LinkButton kind="primary" href={activityUrl(website.id, { change: last.change_id })}>
                Show the deletion
              </LinkButton>
            )}
            <LinkButton href={redirectUrl(website.id, '')}>All redirects</LinkButton>
          </>
        }
      >
        {last && (
          <>
            <span class="mono break">{last.before?.old_path}</span> was deleted by {last.actor.name},{' '}
            <Time at={last.created_at} />. The deletion can be undone.
          </>
        )}
      </Empty>
    </div>
  );
}
