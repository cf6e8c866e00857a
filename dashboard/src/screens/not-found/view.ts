import { type Environment, ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { MissingPath } from '../../api/client/wire.ts';
import { counted, DAY_MS } from '../../format.ts';
import { choiceToken, type Tokens } from '../../ui/form/query-line.ts';
import { environmentIn } from '../../urls.ts';

/** The first one is the standard, as of the orders. */
export const SHOWN = [
  ['paths', 'Inbox'],
  ['noise', 'Scanner paths'],
  ['ignored', 'Ignored'],
] as const;

export type Shown = (typeof SHOWN)[number][0];

export const SORTS = [
  ['-hits', 'Most hits'],
  ['-assistant_hits', 'Most hits by assistants'],
  ['-last_seen_at', 'Recently requested'],
  ['path', 'Path A–Z'],
] as const;

/** Classes of agents that have requested a path. */
export const AGENTS = [
  ['all', 'By anyone'],
  ['people', 'By humans'],
  ['bots', 'By bots'],
  ['assistants', 'By assistants'],
] as const;

/** Filters and orders that can be typed into the search. */
export const NOT_FOUND_TOKENS: Tokens = {
  by: choiceToken('agents', { anyone: 'all', humans: 'people', bots: 'bots', assistants: 'assistants' }),
  show: choiceToken('show', { inbox: 'paths', scanners: 'noise', ignored: 'ignored' }),
  live: choiceToken('environment', ENVIRONMENTS),
  sort: choiceToken('sort', { hits: '-hits', assistants: '-assistant_hits', recent: '-last_seen_at', path: 'path' }),
};

/** Shorter names are in many sources. */
const MIN_NAME = 4;

export interface View {
  environment: Environment;
  shown: Shown;
  /** only paths that contain it; empty for all */
  q: string;
  sort: (typeof SORTS)[number][0];
  agents: (typeof AGENTS)[number][0];
}

export function viewOf(query: URLSearchParams): View {
  const [shown] = SHOWN.find(([name]) => name === query.get('show')) ?? ['paths' as const];
  const [sort] = SORTS.find(([name]) => name === query.get('sort')) ?? ['-hits' as const];
  const [agents] = AGENTS.find(([name]) => name === query.get('agents')) ?? ['all' as const];
  return { environment: environmentIn(query), shown, q: query.get('q') ?? '', sort, agents };
}

/** The filter of the list, for the API. */
export function filterOf({ environment, shown, q, sort, agents }: View) {
  const noise = shown === 'ignored' ? undefined : shown === 'noise';
  const wanted = { noise, ignored: shown === 'ignored', agents: agents === 'all' ? undefined : agents };
  return { environment, ...wanted, q: q || undefined, sort };
}

/** Columns of requests by class of agents: in words beside the number if there is no heading. */
export const HIT_COLUMNS = [
  { name: 'hits', heading: 'People', unit: 'by people' },
  { name: 'bot_hits', heading: 'Bots', unit: 'by bots' },
  { name: 'assistant_hits', heading: 'Assistants', unit: 'by assistants' },
] as const;

/** Headings of the list. */
export const HEADINGS = ['Path', ...HIT_COLUMNS.map(({ heading }) => heading), 'Last seen', 'Last referrer', ''];

/** `42 requests in 6 days`, those of all agents from the first to the last. */
export function rateText(
  of: Pick<MissingPath, 'hits' | 'bot_hits' | 'assistant_hits' | 'first_seen_at' | 'last_seen_at'>,
) {
  const days = Math.ceil((Date.parse(of.last_seen_at) - Date.parse(of.first_seen_at)) / DAY_MS);
  return `${counted(of.hits + of.bot_hits + of.assistant_hits, 'request')} in ${counted(Math.max(1, days), 'day')}`;
}

/** The file name without its ending, by which similar sources are searched; undefined if it is too short. */
export function searchedName(path: string): string | undefined {
  const name = path
    .split('/')
    .findLast((part) => part !== '')
    ?.replace(/\.\w{2,5}$/, '');
  return name !== undefined && name.length >= MIN_NAME && !path.endsWith('…') ? name : undefined;
}
