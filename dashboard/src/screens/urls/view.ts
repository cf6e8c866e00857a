/** The screen of URLs in the query of its page: answers, filters and orders. */
import { URL_ANSWERS, URL_SOURCES, URL_STATES, type UrlAnswer } from '../../../../src/vocabulary/urls.ts';
import type { UrlFilter } from '../../api/urls.ts';
import { capitalized } from '../../format.ts';
import { environmentIn } from '../../urls.ts';

export const ANSWERS: Record<UrlAnswer, { label: string; tone: '' | 'ok' | 'warn' | 'danger'; help: string }> = {
  lost: { label: 'Lost', tone: 'danger', help: 'Former pages that visitors no longer reach: redirect or accept them.' },
  shadowed: { label: 'Hidden', tone: 'warn', help: 'Living pages that a redirect hides from visitors.' },
  accepted: { label: 'Accepted', tone: '', help: 'Lost URLs that a user has accepted. They block no deployment.' },
  redirected: { label: 'Redirected', tone: 'ok', help: 'URLs that a redirect sends to another page.' },
  gone: { label: 'Gone', tone: '', help: 'URLs that respond with 410 or 451.' },
  living: { label: 'Living', tone: 'ok', help: 'Pages that a list has, and that no redirect hides.' },
  none: {
    label: 'Not listed',
    tone: '',
    help: 'Known URLs that no list has and no redirect answers, mostly targets of redirects.',
  },
};

/** The answers in the order of their tabs: those that need work first. */
export const ANSWER_ORDER = Object.keys(ANSWERS) as UrlAnswer[];

const optionsOf = (first: string, values: readonly string[]): (readonly [string, string])[] => [
  ['', first],
  ...values.map((value) => [value, capitalized(value)] as const),
];

/** The selects of the screen, each with the label of all. */
export const FILTERS = [
  { name: 'state', label: 'State', options: optionsOf('All states', URL_STATES) },
  { name: 'source', label: 'Source', options: optionsOf('All sources', Object.keys(URL_SOURCES)) },
  { name: 'type', label: 'Type', options: optionsOf('All types', ['page', 'image', 'document']) },
] as const;

export const SORTS = [
  ['-weight', 'Heaviest first'],
  ['-hits', 'Most hits'],
  ['-clicks', 'Most clicks'],
  ['-links', 'Most links'],
  ['-last_seen_at', 'Recently seen'],
  ['last_seen_at', 'Longest not seen'],
] as const;

export interface View {
  filter: UrlFilter;
  /** undefined: lost URLs if there are any, otherwise all */
  answered: UrlAnswer | 'all' | undefined;
  sort: (typeof SORTS)[number][0];
}

/** Unknown values count as absent. */
export function viewOf(query: URLSearchParams): View {
  const answer = query.get('answered');
  const valueOf = (name: string): string | undefined => query.get(name) || undefined;
  const chosen = FILTERS.flatMap(({ name, options }) => {
    const value = valueOf(name);
    return options.some(([each]) => each === value) ? [[name, value] as const] : [];
  });
  const [sort] = SORTS.find(([name]) => name === query.get('sort')) ?? SORTS[0];
  return {
    filter: {
      environment: environmentIn(query),
      ...Object.fromEntries(chosen),
      list: valueOf('list'),
      q: valueOf('q'),
    },
    answered: answer === 'all' ? 'all' : URL_ANSWERS.find((each) => each === answer),
    sort,
  };
}

/** The shown answer: the chosen one, or by default lost URLs if there are any. `lost`: undefined if unknown. */
export const answeredIn = ({ answered }: View, lost: number | undefined): UrlAnswer | undefined => {
  if (answered === undefined) return lost ? 'lost' : undefined;
  return answered === 'all' ? undefined : answered;
};

/** True if a filter other than the answer is set. */
export const isFiltered = ({ filter: { environment: _, ...rest } }: View): boolean =>
  Object.values(rest).some((value) => value !== undefined);
