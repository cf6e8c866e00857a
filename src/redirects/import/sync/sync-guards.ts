/** The guards of a sync: how many redirects it may delete, and which revision it expects. */
import { assertMayDelete, type MaxDelete } from '../../../rules/max-delete.ts';
import { DomainError } from '../../../vocabulary/error.ts';
import type { RevisionId } from '../../../websites/write-website.ts';

export interface SyncCounts {
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
}

/** Throws TOO_MANY_DELETES with the counts. `total`: the redirects of the website or group before the sync. */
export function assertDeletes(counts: SyncCounts, total: number, max: MaxDelete | undefined): void {
  const { created, updated, deleted, unchanged } = counts;
  const remedy = `; to list the deletions send max_delete=${deleted} with dry_run=true, to apply them without it`;
  const error = { call: 'sync', what: 'redirects', remedy, extra: { sync: counts } };
  assertMayDelete({ deleted, total, entries: created + updated + unchanged }, max, error);
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
