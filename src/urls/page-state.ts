import type { Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { givesStates, STATE_NUMBERS, statedUrls } from '../deployments/gate/urls/url-weight.ts';
import type { Place } from '../deployments/live/candidate.ts';
import { ownUrl } from '../rules/url-key.ts';
import type { UrlState } from '../vocabulary/urls.ts';

/** `unknown`: the website does not know the URL. */
export type PageState = UrlState | 'unknown';

interface OwnPath extends Place {
  /** with its query */
  path: string;
  pageParameters: readonly string[];
}

/**
 * The state of a path of a website that the caller has proven to be the account's; null if the environment has no list of
 * living pages. Costs two index lookups.
 */
export async function readPageState(
  db: Queryable,
  { path, pageParameters, ...place }: OwnPath,
): Promise<PageState | null> {
  const { url } = ownUrl(path, new Set(pageParameters));
  const [found] = await queryRows<{ hasLists: boolean; state: number | null }>(db)`
    select
      exists (select from url_lists l
        where l.website_id = ${place.websiteId} and l.version > 0 and ${givesStates(place)}) as has_lists,
      (select v.state from (${statedUrls(place)}) v where v.url = ${url}) as state`;
  if (!found?.hasLists) return null;
  return found.state === null ? 'unknown' : (STATE_NUMBERS[found.state] ?? 'unknown');
}
