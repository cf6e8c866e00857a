import { isoSeconds } from '../../platform/clock.ts';
import type { ImportRow } from '../../redirects/import/find-import.ts';

/** An import as its own resource: while it runs and afterwards. */
export function importBody(row: ImportRow) {
  return {
    id: row.id,
    website_id: row.websiteId,
    source: row.source,
    status: row.status,
    dry_run: row.dryRun,
    progress: { received: row.received, bytes: row.bytes },
    summary: row.summary,
    error: row.error,
    created_at: isoSeconds(row.createdAt),
    completed_at: row.completedAt && isoSeconds(row.completedAt),
  };
}
