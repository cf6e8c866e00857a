import { isoSeconds } from '../../platform/clock.ts';
import { z } from 'zod';
import { ImportSummary, WrittenTime } from '../../http/fields.ts';
import type { ImportRow } from '../../redirects/import/find-import.ts';

export const ImportBody = z
  .object({
    id: z.string(),
    website_id: z.int().nullable(),
    source: z.enum(['csv', 'api']),
    status: z.enum(['running', 'completed', 'failed']),
    dry_run: z.boolean(),
    progress: z.object({ received: z.int(), bytes: z.int() }),
    summary: ImportSummary.nullable(),
    error: z.string().nullable(),
    created_at: WrittenTime,
    completed_at: WrittenTime.nullable(),
  })
  .meta({ id: 'Import' });

/** An import as its own resource: while it runs and afterwards. */
export function importBody(row: ImportRow): z.output<typeof ImportBody> {
  return {
    id: row.id,
    website_id: row.websiteId,
    source: row.source,
    status: row.status,
    dry_run: row.dryRun,
    progress: { received: row.received, bytes: row.bytes },
    summary: ImportSummary.nullable().parse(row.summary),
    error: row.error,
    created_at: isoSeconds(row.createdAt),
    completed_at: row.completedAt && isoSeconds(row.completedAt),
  };
}
