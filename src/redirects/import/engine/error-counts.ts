/** Exact counts of an import's invalid rows by reason, for remedies that concern many rows. */
import type { ErrorCode } from '../../../vocabulary/error.ts';
import type { RowError } from '../../../rules/entry.ts';

export type ErrorCounts = ReturnType<ReturnType<typeof createErrorCounts>['result']>;

/** A website may allow as many. */
const MAX_HOSTS = 100;
/** Bounds memory: a file may have 1,000,000 different hosts. Those that come later are not counted. */
const MAX_COUNTED_HOSTS = 10_000;

export function createErrorCounts() {
  const codes = new Map<ErrorCode, number>();
  const hosts = new Map<string, number>();
  return {
    add({ code, host }: Pick<RowError, 'code' | 'host'>): void {
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (host === undefined || (hosts.size >= MAX_COUNTED_HOSTS && !hosts.has(host))) return;
      hosts.set(host, (hosts.get(host) ?? 0) + 1);
    },
    result: () => ({
      /** most rows first */
      codes: byCount(codes).map(([code, count]) => ({ code, count })),
      /** hosts of targets that the website does not allow, most rows first; at most 100 */
      hosts: byCount(hosts)
        .slice(0, MAX_HOSTS)
        .map(([host, count]) => ({ host, count })),
    }),
  };
}

/** The most frequent first, equal ones in the order of the file. */
function byCount<Key>(counts: ReadonlyMap<Key, number>): [Key, number][] {
  return [...counts].toSorted(([, a], [, b]) => b - a);
}
