import type { Redirect } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { query } from '../../router.ts';
import { planHas } from '../../state/session.ts';
import { Time } from '../../ui/text/time.tsx';
import { activityUrl } from '../../urls.ts';
import { HIT_DAYS } from './view.ts';

/** Hits of the redirect, if known, and links to its analytics and activity. */
export function RedirectLinks({ redirect }: { redirect: Redirect }) {
  const { id, website_id: websiteId, hits, last_hit_at: lastHitAt } = redirect;
  const environment = query.value.get('environment');
  const inEnvironment = environment === null ? '' : `&environment=${environment}`;
  return (
    <p class="small">
      {hits !== undefined && (
        <span class="muted">
          {counted(hits, 'hit')} in the last {HIT_DAYS} days, {lastHitAt ? 'last hit ' : 'never used'}
          {lastHitAt && <Time at={lastHitAt} />}.{' '}
        </span>
      )}
      {planHas('analytics') && (
        <>
          <a href={`/websites/${websiteId}/analytics?redirect=${id}${inEnvironment}`}>Analytics</a>
          <span class="muted"> · </span>
        </>
      )}
      <a href={activityUrl(websiteId, { path: redirect.old_path })}>Activity</a>
    </p>
  );
}
