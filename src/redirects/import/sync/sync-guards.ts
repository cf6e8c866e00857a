/** The guards of a sync: how many redirects it may delete, and which revision it expects. */
import { DomainError } from '../../../vocabulary/error.ts';
import type { RevisionId } from '../../../websites/write-website.ts';

/** The most redirects that a sync may delete: a count, or a share in percent of those that it compares. */
export type MaxDelete = { count: number } | { percent: number };

export interface SyncCounts {
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
}

const DEFAULT_PERCENT = 10;
/** Without `max_delete`, a sync of a small website may always delete this many. */
const DEFAULT_COUNT = 10;

/**
 * The most that may be deleted of `total`, by a body of `entries`. Undefined is the default: 10 %, and at least 10, but
 * nothing if the body has no entries.
 */
export function allowedDeletes(max: MaxDelete | undefined, total: number, entries: number): number {
  if (!max) return entries === 0 ? 0 : Math.max(DEFAULT_COUNT, shareOf(DEFAULT_PERCENT, total));
  return 'count' in max ? max.count : shareOf(max.percent, total);
}

/** Tolerates the error of binary fractions: 0.07 % of 10,000 is 7. */
function shareOf(percent: number, total: number): number {
  return Math.floor((percent * total) / 100 + 1e-6);
}

/** Throws TOO_MANY_DELETES with the counts. `total`: the redirects of the website or group before the sync. */
export function assertDeletes(counts: SyncCounts, total: number, max: MaxDelete | undefined): void {
  const { created, updated, deleted, unchanged } = counts;
  const entries = created + updated + unchanged;
  const allowed = allowedDeletes(max, total, entries);
  if (deleted <= allowed) return;
  const text = (count: number): string => count.toLocaleString('en');
  const limit = max ? '' : byDefault(entries);
  throw new DomainError('TOO_MANY_DELETES', 'The sync would delete too many redirects', {
    details: `max_delete: ${text(deleted)} of ${text(total)} redirects would be deleted, and ${text(allowed)} may be${limit}; nothing was applied. Check that the body is complete; to list the deletions send max_delete=${deleted} with dry_run=true, to apply them without it`,
    extra: { sync: counts, total, max_delete: allowed },
  });
}

/** Why the default allows so few deletions, for a message. */
export const byDefault = (entries: number): string =>
  entries === 0
    ? ' (an empty body deletes all, so max_delete must say so)'
    : ` (by default ${DEFAULT_PERCENT} %, and at least ${DEFAULT_COUNT})`;

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
