import type { Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { givesStates, STATE_NUMBERS, statedUrls } from '../deployments/gate/urls/url-weight.ts';
import type { Place } from '../deployments/live/candidate.ts';
import { ownUrl } from '../rules/url-key.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { UrlState } from '../vocabulary/urls.ts';
import { requireWebsiteRow } from '../websites/website.ts';

/** `unknown`: the website does not know the URL. */
export type PageState = UrlState | 'unknown';

/**
 * The state of a path of the website, with its query; null if no list says which pages live in the environment. Costs two
 * index lookups. Throws WEBSITE_NOT_FOUND.
 */
export async function readPageState(
  db: Queryable,
  actor: Actor,
  place: Place,
  path: string,
): Promise<PageState | null> {
  const { id, pageParameters } = await requireWebsiteRow(db, actor, place.websiteId);
  const { url } = ownUrl(path, new Set(pageParameters));
  const [found] = await queryRows<{ hasLists: boolean; state: number | null }>(db)`
    select
      exists (select from url_lists l where l.website_id = ${id} and l.version > 0 and ${givesStates(place)}) as has_lists,
      (select v.state from (${statedUrls(place)}) v where v.url = ${url}) as state`;
  if (!found?.hasLists) return null;
  return found.state === null ? 'unknown' : (STATE_NUMBERS[found.state] ?? 'unknown');
}
