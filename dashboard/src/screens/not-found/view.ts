import { type Environment, ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { MissingPath } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
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

/** `4 hits` if only people requested the path; otherwise `4 by people`, and the number of each other kind. */
export function hitsText(of: Pick<MissingPath, 'hits' | 'bot_hits' | 'assistant_hits'>): [own: string, others: string] {
  const { hits, bot_hits: bots, assistant_hits: assistants } = of;
  const others = [
    ...(bots > 0 ? [`${number(bots)} by bots`] : []),
    ...(assistants > 0 ? [`${number(assistants)} by assistants`] : []),
  ];
  return [others.length === 0 ? counted(hits, 'hit') : `${number(hits)} by people`, others.join(', ')];
}
