/** The error of a call that applies all of its entries or none. */
import { DomainError } from '../../vocabulary/error.ts';
import type { RowError } from '../rule/entry.ts';
import type { ErrorLog } from './error-log.ts';

/** How the entries of a call are numbered: by index in a body, or by line of a file. */
export type EntryPlace = 'index' | 'line';

/** Issues in the error. The import's record has more. */
const MAX_ISSUES = 20;

/** Throws VALIDATION_ERROR if an entry is invalid. `remedy` completes "so nothing was applied;". */
export function assertNoErrors(
  errors: ErrorLog,
  total: number,
  { place, remedy }: { place: EntryPlace; remedy: string },
): void {
  if (errors.count === 0) return;
  const listed = errors.first();
  const list = place === 'index' ? 'redirects' : 'lines';
  throw new DomainError('VALIDATION_ERROR', 'The call has invalid entries', {
    details: `${errors.count.toLocaleString('en')} of ${total.toLocaleString('en')} entries are invalid, so nothing was applied; ${remedy}`,
    issues: listed
      .slice(0, MAX_ISSUES)
      .map(({ line, column, code, message }) => ({ path: `${list}[${line}].${column}`, code, message })),
    extra: { errors: listed.map((error) => errorBody(error, place)) },
  });
}

function errorBody({ line, oldPath, code, message }: RowError, place: EntryPlace): object {
  return { [place]: line, old_path: oldPath, code, message };
}
