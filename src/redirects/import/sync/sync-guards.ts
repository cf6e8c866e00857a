/** The guards of a sync: how many redirects it may delete, and which revision it expects. */
import { allowedDeletes, assertMayDelete, type MaxDelete } from '../../../rules/max-delete.ts';
import { DomainError } from '../../../vocabulary/error.ts';
import type { RevisionId } from '../../../websites/write-website.ts';

export interface SyncCounts {
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  /** by field, the redirects whose value is replaced by the default because their entry has none */
  cleared: Record<string, number>;
}

/** Throws TOO_MANY_DELETES with the counts. `total`: the redirects of the website or group before the sync. */
export function assertDeletes(counts: SyncCounts, total: number, max: MaxDelete | undefined): void {
  const { created, updated, deleted, unchanged } = counts;
  const entries = created + updated + unchanged;
  const extra = { sync: { created, updated, deleted, unchanged }, cleared: clearedFields(counts) };
  const remedy = `; to list the deletions send max_delete=${deleted} with dry_run=true, to apply them without it`;
  const error = { call: 'sync', what: 'redirects', remedy, extra };
  assertMayDelete({ deleted, total, entries }, max, error);
  const allowed = allowedDeletes(max, total, entries);
  const [field, cleared = 0] = Object.entries(counts.cleared).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  if (cleared <= allowed) return;
  const text = (count: number): string => count.toLocaleString('en');
  throw new DomainError('TOO_MANY_DELETES', 'The sync would clear too many values', {
    details: `max_delete: ${field} of ${text(cleared)} of ${text(total)} redirects would be cleared, and ${text(allowed)} may be; nothing was applied. To keep the stored values, leave ${field} out of every entry, or send fields= without it; to clear them, send max_delete=${cleared}`,
    extra: { ...extra, total, max_delete: allowed },
  });
}

/** The fields that the sync clears; those that nothing clears are left out. */
export function clearedFields({ cleared }: Pick<SyncCounts, 'cleared'>): Record<string, number> {
  return Object.fromEntries(Object.entries(cleared).filter(([, count]) => count > 0));
}

/** Throws REVISION_CHANGED if the website's revision is not the expected one. */
export function assertRevision(
  { ifRevision, ifHistory }: { ifRevision: number | undefined; ifHistory: string | undefined },
  at: RevisionId,
): void {
  if (ifRevision === undefined) return;
  const { revision, history } = at;
  const isOther = ifRevision !== revision;
  if (!isOther && (ifHistory === undefined || ifHistory === history)) return;
  const reason = isOther
    ? `if_revision: the website is at revision ${revision}, not ${ifRevision}`
    : `if_history: revision ${revision} of the website has another history, because the database went back in time`;
  const next = `if_revision=${revision}${ifHistory === undefined || history === null ? '' : ` and if_history=${history}`}`;
  throw new DomainError('REVISION_CHANGED', 'The redirects have changed', {
    details: `${reason}; nothing was applied. Read its redirects again, bring your changes up to date, then send ${next}`,
    extra: { ...at },
  });
}
