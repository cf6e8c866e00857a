import { ENVIRONMENTS } from '../../../../../src/vocabulary/environment.ts';
import { listUrls } from '../../../api/urls.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { Time } from '../../../ui/text/time.tsx';

/** The most of a page: the service finds all URLs that contain the path. */
const LIMIT = 1_000;

/** Says when a list last had the path of a redirect; nothing for a pattern, or if no list had it. */
export function LastSeen({ redirect }: { redirect: Redirect }) {
  const { website_id: id, old_path: path, is_regex: isPattern, target_environments: targets } = redirect;
  const environment = ENVIRONMENTS.find((name) => targets.split(',').includes(name)) ?? 'production';
  const found = useResource(`seen:${redirect.id}:${path}`, async (signal) => {
    if (isPattern) return undefined;
    const { urls } = await listUrls(id, { environment, q: path, limit: LIMIT }, signal);
    return urls.find(({ url, state }) => url === path && state !== 'known');
  });
  if (!found.data.value) return null;
  const { lists, last_seen_at: seen, removed_at: removed } = found.data.value;
  return (
    <p class="small muted">
      Last seen in the sitemap: <Time at={seen} />, {removed === null ? `in ${lists.join(', ')}.` : 'removed '}
      {removed !== null && <Time at={removed} />}
    </p>
  );
}
