import type { Environment } from '../../../../src/vocabulary/environment.ts';
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
  ['-last_seen_at', 'Recently requested'],
  ['path', 'Path A–Z'],
] as const;

export interface View {
  environment: Environment;
  shown: Shown;
  /** only paths that contain it; empty for all */
  q: string;
  sort: (typeof SORTS)[number][0];
}

export function viewOf(query: URLSearchParams): View {
  const [shown] = SHOWN.find(([name]) => name === query.get('show')) ?? ['paths' as const];
  const [sort] = SORTS.find(([name]) => name === query.get('sort')) ?? ['-hits' as const];
  return { environment: environmentIn(query), shown, q: query.get('q') ?? '', sort };
}
