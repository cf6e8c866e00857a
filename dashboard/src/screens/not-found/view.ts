import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { environmentIn } from '../../urls.ts';

export const SHOWN = [
  ['paths', 'Inbox'],
  ['noise', 'Scanner paths'],
  ['ignored', 'Ignored'],
] as const;

export type Shown = (typeof SHOWN)[number][0];

export interface View {
  environment: Environment;
  shown: Shown;
  /** only paths that contain it; empty for all */
  q: string;
}

export function viewOf(query: URLSearchParams): View {
  const [shown] = SHOWN.find(([name]) => name === query.get('show')) ?? ['paths' as const];
  return { environment: environmentIn(query), shown, q: query.get('q') ?? '' };
}
