/** Filters and order of the list, kept in the URL so that a link shows the same view. */
import { type Environment, ENVIRONMENTS, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { TARGET_STATE_FILTERS } from '../../../../src/vocabulary/checks.ts';
import { STATUS_CODES } from '../../../../src/vocabulary/status-code.ts';
import type { RedirectFilter } from '../../api/redirects.ts';
import { DAY_MS } from '../../format.ts';
import { choiceToken, negatable, textToken, type Token, type Tokens } from '../../ui/form/query-line.ts';

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
export const SCHEDULES = ['upcoming', 'active', 'expired', 'any', 'none'] as const;

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
  const days = hasHits ? unusedDays(query) : undefined;
  const before = days && new Date(now - Number(days) * DAY_MS).toISOString().slice(0, 10);
  /** The valid values of a parameter: one, a list of several, or undefined. */
  function some<Value>(name: string, read: (text: string) => Value | undefined): Value | Value[] | undefined {
    const values = query.getAll(name).flatMap((text) => read(text) ?? []) as Value[];
    return values.length > 1 ? values : values[0];
  }
  const one = <Value>(name: string, read: (text: string) => Value | undefined) => {
    const text = query.get(name);
    return text ? read(text) : undefined;
  };
  const sinceToday = (text: string) => sinceIn(text, now);
  return {
    q: one('q', anyText),
    notes: one('notes', anyText),
    new_path_contains: one('new_path_contains', anyText),
    not_new_path_contains: some('not_new_path_contains', someText),
    old_path_contains: one('old_path_contains', anyText),
    not_old_path_contains: some('not_old_path_contains', someText),
    environment: one('environment', isIn(ENVIRONMENTS)),
    not_environment: some('not_environment', isIn(ENVIRONMENTS)),
    status_code: some('status_code', isIn(STATUS_CODES)),
    not_status_code: some('not_status_code', isIn(STATUS_CODES)),
    is_regex: one('is_regex', isIn([true, false])),
    group: some('group', anyText),
    not_group: some('not_group', anyText),
    schedule: one('schedule', isIn(SCHEDULES)),
    target_state: one('target_state', isIn(TARGET_STATE_FILTERS)),
    not_target_state: some('not_target_state', isIn(TARGET_STATE_FILTERS)),
    created_since: one('created_since', sinceToday),
    updated_since: one('updated_since', sinceToday),
    last_hit_since: hasHits ? one('last_hit_since', sinceToday) : undefined,
    last_hit_before: before,
    // A redirect created 3 days ago is not unused for 90 days.
    created_before: before,
  };
}

const anyText = (text: string): string => text;
const someText = (text: string): string | undefined => text || undefined;
const isIn =
  <Value>(values: readonly Value[]) =>
  (text: string): Value | undefined =>
    values.find((each) => String(each) === text);

const SINCE = /^(\d{4}-\d\d-\d\d)$|^([1-9]\d{0,2})d?$/;

/** The day of a text such as `7d`, counted back from today (UTC), or of a date; undefined for another text. */
function sinceIn(text: string, now: number): string | undefined {
  const [, date, days] = SINCE.exec(text) ?? [];
  const time = date ? Date.parse(date) : now - Number(days) * DAY_MS;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
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
const unusedDays = (query: URLSearchParams): string | undefined =>
  /^[1-9]\d{0,2}$/.exec(query.get('not_followed') ?? '')?.[0];

/** True if the view excludes any redirect of the website. */
export function isFiltered({ filter }: View): boolean {
  return Object.entries(filter).some(([name, value]) => name !== 'website_id' && value !== undefined);
}

/** The parameters of all filters. */
export const NO_FILTER: Record<string, undefined> = {
  ...(filterIn(new URLSearchParams(), false) as Record<string, undefined>),
  not_followed: undefined,
};

/** The filters and the order of the URL as a saved view has them: in one order, without other parameters. */
export function savedQuery(query: URLSearchParams): string {
  const names = [...Object.keys(NO_FILTER), 'sort'];
  return new URLSearchParams(names.flatMap((name) => query.getAll(name).map((value) => [name, value]))).toString();
}

/** Parses the comma-separated environments of a redirect. */
export function environmentsOf({ target_environments: list }: { target_environments: string }): Environment[] {
  return list.split(',').filter(isEnvironment);
}

/** A status, or a class of them such as `3xx`. */
const status: Token = {
  parameter: 'status_code',
  valueOf(typed) {
    const [, digit] = /^([34])xx$/i.exec(typed) ?? [];
    const codes = STATUS_CODES.map(String).filter((code) => (digit ? code.startsWith(digit) : code === typed));
    return codes.length > 0 ? codes : undefined;
  },
  examples: STATUS_CODES.map(String),
};

/** A period such as `7d`, or a date. */
const since = (parameter: string): Token => ({
  parameter,
  valueOf: (typed) => sinceIn(typed, 0) && typed,
  examples: ['1d', '7d', '30d', '90d'],
});

/** Filters that can be typed into a search. */
export const REDIRECT_TOKENS: Tokens = {
  status: negatable(status),
  group: negatable(textToken('group')),
  unused: {
    parameter: 'not_followed',
    valueOf: (typed) => /^([1-9]\d{0,2})d?$/.exec(typed)?.[1],
    examples: UNUSED_DAYS.map((days) => `${days}d`),
  },
  used: since('last_hit_since'),
  from: negatable(textToken('old_path_contains'), false),
  to: negatable(textToken('new_path_contains'), false),
  live: negatable(choiceToken('environment', ENVIRONMENTS), false),
  type: choiceToken('is_regex', { path: 'false', pattern: 'true' }),
  target: negatable(choiceToken('target_state', TARGET_STATE_FILTERS), false),
  schedule: choiceToken('schedule', {
    upcoming: 'upcoming',
    active: 'active',
    ended: 'expired',
    expired: 'expired',
    any: 'any',
    none: 'none',
  }),
  updated: since('updated_since'),
  created: since('created_since'),
  notes: textToken('notes'),
  sort: choiceToken('sort', {
    newest: '-id',
    oldest: 'id',
    path: 'old_path',
    changed: '-updated_at',
    hits: '-hits',
    used: '-last_hit_at',
  }),
};
