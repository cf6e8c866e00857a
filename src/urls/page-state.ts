import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { givesStates, STATE_NUMBERS, statedUrls } from '../deployments/gate/urls/url-weight.ts';
import type { Place } from '../deployments/live/candidate.ts';
import { ownUrl } from '../rules/url-key.ts';
import type { UrlState } from '../vocabulary/urls.ts';

/** `unknown`: the website does not know the URL. */
export type PageState = UrlState | 'unknown';

/**
 * The states of paths, with their queries, of a website that the caller has proven to be the account's, in their order;
 * null if the environment has no list of living pages. Costs an index lookup for each path.
 */
export async function readPageStates(
  db: Queryable,
  place: Place,
  paths: readonly string[],
): Promise<(PageState | null)[]> {
  const [site] = await queryRows<{ pageParameters: string[] }>(db)`
    select page_parameters from websites where id = ${place.websiteId} and exists (
      select from url_lists l where l.website_id = ${place.websiteId} and l.version > 0 and ${givesStates(place)})`;
  if (!site) return paths.map(() => null);
  const parameters = new Set(site.pageParameters);
  const urls = paths.map((path) => ownUrl(path, parameters).url);
  const rows = await queryRows<{ state: number | null }>(db)`
    select (select v.state from (${statedUrls(place)}) v where v.url = p.url) as state
    from unnest(${sql.param(urls)}::text[]) with ordinality p (url, at) order by p.at`;
  return rows.map(({ state }) => (state === null ? 'unknown' : (STATE_NUMBERS[state] ?? 'unknown')));
}
