import type { MissingPath } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';

/** `4 hits` if only people requested the path; otherwise `4 by people`, and the number of each other kind. */
export function hitsText(of: Pick<MissingPath, 'hits' | 'bot_hits' | 'assistant_hits'>): [own: string, others: string] {
  const { hits, bot_hits: bots, assistant_hits: assistants } = of;
  const others = [
    ...(bots > 0 ? [`${number(bots)} by bots`] : []),
    ...(assistants > 0 ? [`${number(assistants)} by assistants`] : []),
  ];
  return [others.length === 0 ? counted(hits, 'hit') : `${number(hits)} by people`, others.join(', ')];
}
