/** Filters and order of the list, kept in the URL so that a link shows the same view. */
import { type Environment, ENVIRONMENTS, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { TARGET_STATE_FILTERS } from '../../../../src/vocabulary/checks.ts';
import { isStatusCode, STATUS_CODES } from '../../../../src/vocabulary/status-code.ts';
import type { RedirectFilter } from '../../api/redirects.ts';
import { DAY_MS } from '../../format.ts';
import { choiceToken, textToken, type Tokens } from '../../ui/form/query-line.ts';

const PLAIN_SORTS = [
  ['-id', 'Newest first'],
  ['id', 'Oldest first'],
  ['old_path', 'Path A–Z'],
  ['-old_path', 'Path Z–A'],
  ['-updated_at', 'Recently changed'],
  ['updated_at', 'Least recently changed'],
] as const;

const HIT_SORTS = [
  ['-hits', 'Most hits'],
  ['hits', 'Fewest hits'],
  ['-last_hit_at', 'Recently used'],
  ['last_hit_at', 'Least recently used'],
] as const;

export type Sort = (typeof PLAIN_SORTS | typeof HIT_SORTS)[number][0];

/** The available orders. Hits need a plan with analytics. */
export const sortsOf = (hasHits: boolean): readonly (readonly [Sort, string])[] =>
  hasHits ? [...PLAIN_SORTS, ...HIT_SORTS] : PLAIN_SORTS;

/** States of a schedule to filter by. */
export const SCHEDULES = ['upcoming', 'active', 'expired', 'any'] as const;

/** Days of hits that the list shows. */
export const HIT_DAYS = 30;

/** Choices of the filter for unused redirects. */
export const UNUSED_DAYS = ['90', '180', '365'] as const;

export interface View {
  filter: RedirectFilter;
  sort: Sort;
  /** shows hits and last hit of each redirect */
  hasHits: boolean;
}

/**
 * Parses the filters of the query; ignores invalid values and filters that the plan lacks. Unused days count back from
 * today (UTC).
 */
export function filterIn(query: URLSearchParams, hasHits: boolean, now: number = Date.now()) {
  const environment = query.get('environment') ?? '';
  const status = Number(query.get('status_code'));
  const isRegex = query.get('is_regex');
  const days = hasHits ? unusedDays(query) : undefined;
  const before = days && new Date(now - Number(days) * DAY_MS).toISOString().slice(0, 10);
  return {
    q: query.get('q') || undefined,
    notes: query.get('notes') || undefined,
    new_path_contains: query.get('new_path_contains') || undefined,
    environment: isEnvironment(environment) ? environment : undefined,
    status_code: isStatusCode(status) ? status : undefined,
    is_regex: isRegex === 'true' ? true : isRegex === 'false' ? false : undefined,
    group: query.get('group') ?? undefined,
    schedule: SCHEDULES.find((state) => state === query.get('schedule')),
    target_state: TARGET_STATE_FILTERS.find((state) => state === query.get('target_state')),
    last_hit_before: before,
    // A redirect created 3 days ago is not unused for 90 days.
    created_before: before,
  };
}

/** The filters and the order of the query, as filterIn. */
export function viewOf(websiteId: number, query: URLSearchParams, hasHits: boolean, now?: number): View {
  return {
    hasHits,
    filter: { website_id: websiteId, ...filterIn(query, hasHits, now) },
    sort: sortsOf(hasHits).find(([value]) => value === query.get('sort'))?.[0] ?? '-id',
  };
}

/** The filter for unused redirects; undefined if it is off. */
export const unusedDays = (query: URLSearchParams): (typeof UNUSED_DAYS)[number] | undefined =>
  UNUSED_DAYS.find((days) => days === query.get('not_followed'));

/** True if the view excludes any redirect of the website. */
export function isFiltered({ filter }: View): boolean {
  return Object.entries(filter).some(([name, value]) => name !== 'website_id' && value !== undefined);
}

export const NO_FILTER = {
  q: undefined,
  notes: undefined,
  new_path_contains: undefined,
  environment: undefined,
  status_code: undefined,
  is_regex: undefined,
  group: undefined,
  schedule: undefined,
  target_state: undefined,
  not_followed: undefined,
};

/** The filters and the order of the URL as a saved view has them: in one order, without other parameters. */
export function savedQuery(query: URLSearchParams): string {
  const names = [...Object.keys(NO_FILTER), 'sort'].filter((name) => query.has(name));
  return new URLSearchParams(names.map((name) => [name, query.get(name) ?? ''])).toString();
}

/** Parses the comma-separated environments of a redirect. */
export function environmentsOf({ target_environments: list }: { target_environments: string }): Environment[] {
  return list.split(',').filter(isEnvironment);
}

const unused = choiceToken('not_followed', UNUSED_DAYS);

/** Filters that can be typed into a search. */
export const REDIRECT_TOKENS: Tokens = {
  status: choiceToken('status_code', STATUS_CODES.map(String)),
  group: textToken('group'),
  unused: {
    ...unused,
    valueOf: (typed) => unused.valueOf(typed.replace(/d$/, '')),
    examples: UNUSED_DAYS.map((days) => `${days}d`),
  },
  to: textToken('new_path_contains'),
  live: choiceToken('environment', ENVIRONMENTS),
  type: choiceToken('is_regex', { path: 'false', pattern: 'true' }),
  target: choiceToken('target_state', TARGET_STATE_FILTERS),
  schedule: choiceToken('schedule', {
    upcoming: 'upcoming',
    active: 'active',
    ended: 'expired',
    expired: 'expired',
    any: 'any',
  }),
  notes: textToken('notes'),
};
