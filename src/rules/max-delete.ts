/** The guard of bodies that replace all of a website: how much they may delete. */
import { DomainError } from '../vocabulary/error.ts';

/** The most that a body may delete: a count, or a share in percent of what it is compared with. */
export type MaxDelete = { count: number } | { percent: number };

const DEFAULT_PERCENT = 10;
/** Without `max_delete`, a body for a small website may always delete this many. */
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

/** Throws TOO_MANY_DELETES with the counts. `remedy` continues "Check that the body is complete". */
export function assertMayDelete(
  { deleted, total, entries }: { deleted: number; total: number; entries: number },
  max: MaxDelete | undefined,
  { call, what, remedy, extra }: { call: string; what: string; remedy: string; extra?: object },
): void {
  const allowed = allowedDeletes(max, total, entries);
  if (deleted <= allowed) return;
  const text = (count: number): string => count.toLocaleString('en');
  const byDefault = `by default ${DEFAULT_PERCENT} %, and at least ${DEFAULT_COUNT}`;
  const reason = entries === 0 ? 'an empty body deletes all, so max_delete must say so' : byDefault;
  throw new DomainError('TOO_MANY_DELETES', `The ${call} would delete too many ${what}`, {
    details: `max_delete: ${text(deleted)} of ${text(total)} ${what} would be deleted, and ${text(allowed)} may be${max ? '' : ` (${reason})`}; nothing was applied. Check that the body is complete${remedy}`,
    extra: { ...extra, total, max_delete: allowed },
  });
}
