/** The error of a call that applies all of its entries or none. */
import { DomainError } from '../../../vocabulary/error.ts';
import type { ErrorLog } from './error-log.ts';
import type { ImportSource } from './import-record.ts';

/** How the entries of a call are numbered: by index in a body, or by line of a file. */
export type EntryPlace = 'index' | 'line';

/** Issues in the error. The import's record has more. */
const MAX_ISSUES = 20;

/** Throws VALIDATION_ERROR if the import applies all entries or none, and has an invalid one. */
export function assertStrict(
  { isStrict, sync }: { isStrict?: boolean | undefined; sync?: { place: EntryPlace } },
  { errors, total, request }: { errors: ErrorLog; total: number; request: { source: ImportSource } },
): void {
  if (errors.count === 0 || !(sync ?? isStrict)) return;
  const place = sync?.place ?? (request.source === 'csv' ? 'line' : 'index');
  const remedy = sync ? 'correct them' : 'correct them, or send strict=false to apply the others';
  const listed = errors.first();
  const list = place === 'index' ? 'redirects' : 'lines';
  throw new DomainError('VALIDATION_ERROR', 'The call has invalid entries', {
    details: `${errors.count.toLocaleString('en')} of ${total.toLocaleString('en')} entries are invalid, so nothing was applied; ${remedy}`,
    issues: listed
      .slice(0, MAX_ISSUES)
      .map(({ line, column, code, message }) => ({ path: `${list}[${line}].${column}`, code, message })),
    extra: {
      errors: listed.map(({ line, oldPath, code, message }) => ({ [place]: line, old_path: oldPath, code, message })),
    },
  });
}
