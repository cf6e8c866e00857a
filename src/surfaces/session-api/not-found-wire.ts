import { z } from 'zod';
import type { MissingPath } from '../../analytics/not-found.ts';
import type { Suggestion } from '../../analytics/suggest-targets.ts';
import { Timestamp } from '../../http/fields.ts';

export const MissingPathBody = z
  .object({
    path: z.string(),
    hits: z.int(),
    bot_hits: z.int(),
    last_seen_at: Timestamp,
    referrer_host: z.string().nullable(),
    noise: z.boolean(),
    suggestions: z.array(z.object({ new_path: z.string(), similarity: z.number() })),
  })
  .meta({ id: 'MissingPath' });
export const MissingPathList = z.object({
  paths: z.array(MissingPathBody),
  next_cursor: z.string().nullable(),
  other: z.object({ hits: z.int(), bot_hits: z.int() }),
});

/** A path that nobody serves, with targets that look like it. */
export function missingPathBody(
  found: MissingPath,
  suggestions: Suggestion[],
): z.output<typeof MissingPathBody> {
  return {
    path: found.path,
    hits: found.hits,
    bot_hits: found.botHits,
    last_seen_at: found.lastSeenAt,
    referrer_host: found.referrerHost,
    noise: found.noise,
    suggestions: suggestions.map(({ newPath, similarity }) => ({
      new_path: newPath,
      similarity: Math.round(similarity * 100) / 100,
    })),
  };
}
