import { ENVIRONMENTS } from '../../../../../src/vocabulary/environment.ts';
import { listUrls } from '../../../api/urls.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { Time } from '../../../ui/text/time.tsx';

/** The most that a page may have; the URL is one of those that contain the path. */
const LIMIT = 1_000;

/** Says when a list of pages last had the path of a redirect. Nothing for patterns, and for paths that no list had. */
export function LastSeen({ redirect }: { redirect: Redirect }) {
  const { website_id: id, old_path: path, is_regex: isPattern, target_environments: targets } = redirect;
  const environment = ENVIRONMENTS.find((name) => targets.split(',').includes(name)) ?? 'production';
  const found = useResource(`seen:${redirect.id}:${path}`, async (signal) => {
    if (isPattern) return undefined;
    const { urls } = await listUrls(id, { environment, q: path, limit: LIMIT }, signal);
    return urls.find(({ url }) => url === path);
  });
  const url = found.data.value;
  if (!url || url.state === 'known') return null;
  return (
    <p class="small muted">
      Last seen in {url.lists.length > 0 ? url.lists.join(', ') : 'the sitemap'} <Time at={url.last_seen_at} />
      {url.removed_at === null ? (
        ': a living page.'
      ) : (
        <>
          , removed <Time at={url.removed_at} />.
        </>
      )}
    </p>
  );
}
