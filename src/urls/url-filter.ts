/** The filters of lists of URLs as SQL, on rows `v` of weightedUrls. */
import { containing, sql, type SQL } from '../db/drizzle.ts';
import { givesStates, STATE_NUMBERS } from '../deployments/gate/urls/url-weight.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { URL_SOURCES, type UrlSource, type UrlState } from '../vocabulary/urls.ts';

export const URL_TYPES = ['page', 'image', 'document'] as const;
export type UrlType = (typeof URL_TYPES)[number];

export interface UrlFilter {
  websiteId: number;
  environment: Environment;
  state?: UrlState | undefined;
  /** the name of a list of the environment that holds it */
  list?: string | undefined;
  source?: UrlSource | undefined;
  /** by the extension of its path */
  type?: UrlType | undefined;
  /** text in the URL or its title, ignoring case */
  q?: string | undefined;
}

const EXTENSIONS = {
  image: 'avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp',
  document: 'csv|docx?|epub|json|md|odp|ods|odt|pdf|pptx?|rtf|txt|xlsx?|xml|zip',
};

const endsWith = (extensions: string): SQL => sql`v.url ~* ${`^[^?]*\\.(${extensions})(\\?|$)`}`;

const TYPES: Record<UrlType, SQL> = {
  image: endsWith(EXTENSIONS.image),
  document: endsWith(EXTENSIONS.document),
  page: sql`not ${endsWith(`${EXTENSIONS.image}|${EXTENSIONS.document}`)}`,
};

export function urlCondition(filter: UrlFilter): SQL {
  const { websiteId, state, list, source, type, q } = filter;
  const conditions: SQL[] = [sql`true`];
  if (state !== undefined) conditions.push(sql`v.state = ${STATE_NUMBERS.indexOf(state)}`);
  if (list !== undefined) {
    conditions.push(sql`v.lists && array(select l.id from url_lists l where l.website_id = ${websiteId}
      and ${givesStates(filter)} and l.name = ${list})`);
  }
  if (source !== undefined) conditions.push(sql`v.sources & ${URL_SOURCES[source]}::smallint > 0`);
  if (type !== undefined) conditions.push(TYPES[type]);
  // A URL is ASCII. `ilike` would take twice as long.
  if (q !== undefined)
    conditions.push(sql`(lower(v.url) like lower(${containing(q)}) or v.title ilike ${containing(q)})`);
  return sql.join(conditions, sql` and `);
}
