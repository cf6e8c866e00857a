/** What of the list is shown, kept in the address so that a link shows the same. */
import { type Environment, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { isStatusCode } from '../../../../src/vocabulary/status-code.ts';
import type { RedirectFilter } from '../../api/redirects.ts';

const PLAIN_SORTS = [
  ['-id', 'Newest first'],
  ['id', 'Oldest first'],
  ['old_path', 'Path, A to Z'],
  ['-old_path', 'Path, Z to A'],
  ['-updated_at', 'Last changed first'],
  ['updated_at', 'Longest unchanged first'],
] as const;

const HIT_SORTS = [
  ['-hits', 'Most hits first'],
  ['hits', 'Fewest hits first'],
  ['-last_hit_at', 'Last followed first'],
  ['last_hit_at', 'Longest unused first'],
] as const;

export type Sort = (typeof PLAIN_SORTS | typeof HIT_SORTS)[number][0];

/** The orders that the plan of the account has. */
export const sortsOf = (hasHits: boolean): readonly (readonly [Sort, string])[] =>
  hasHits ? [...PLAIN_SORTS, ...HIT_SORTS] : PLAIN_SORTS;

/** The period of the hits that the list shows, in days. */
export const HIT_DAYS = 30;

/** Days for which nobody has followed a redirect: reasons to ask whether it is needed. */
export const NOT_FOLLOWED_DAYS = ['90', '180', '365'] as const;

export interface View {
  filter: RedirectFilter;
  sort: Sort;
  /** whether each redirect tells how often it was followed, and when last */
  hasHits: boolean;
}

/**
 * The view of an address. A value that means nothing is left out, as in a link that somebody shortened; so is what the plan does not
 * have. "For 90 days" counts back from today (UTC), so that a view stays the same all day.
 */
export function viewOf(
  websiteId: number,
  query: URLSearchParams,
  hasHits: boolean,
  now: number = Date.now(),
): View {
  const environment = query.get('environment') ?? '';
  const status = Number(query.get('status_code'));
  const isRegex = query.get('is_regex');
  const notFollowed = hasHits ? notFollowedDays(query) : undefined;
  const before = notFollowed && daysBefore(now, Number(notFollowed));
  return {
    hasHits,
    filter: {
      website_id: websiteId,
      q: query.get('q') || undefined,
      environment: isEnvironment(environment) ? environment : undefined,
      status_code: isStatusCode(status) ? status : undefined,
      is_regex: isRegex === 'true' ? true : isRegex === 'false' ? false : undefined,
      group: query.get('group') ?? undefined,
      last_hit_before: before,
      // Nobody could follow for 90 days what there has been for 3.
      created_before: before,
    },
    sort: sortsOf(hasHits).find(([value]) => value === query.get('sort'))?.[0] ?? '-id',
  };
}

/** For how long nobody may have followed what is shown; undefined where that does not matter. */
export const notFollowedDays = (query: URLSearchParams): (typeof NOT_FOLLOWED_DAYS)[number] | undefined =>
  NOT_FOLLOWED_DAYS.find((days) => days === query.get('not_followed'));

const DAY_MS = 86_400_000;

/** The day (UTC) so many days ago. */
const daysBefore = (now: number, days: number): string =>
  new Date(now - days * DAY_MS).toISOString().slice(0, 10);

/** True where the view is narrower than all redirects of the website. */
export function isFiltered({ filter }: View): boolean {
  return Object.entries(filter).some(([name, value]) => name !== 'website_id' && value !== undefined);
}

export const NO_FILTER = {
  q: undefined,
  environment: undefined,
  status_code: undefined,
  is_regex: undefined,
  group: undefined,
  not_followed: undefined,
};

/** The environments of a redirect, from the comma string that the service writes. */
export function environmentsOf({
  target_environments: list,
}: {
  target_environments: string;
}): Environment[] {
  return list.split(',').filter(isEnvironment);
}
