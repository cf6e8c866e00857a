/** Columns that a redirect here has no equivalent for: each has a check that a row must pass. */
import type { MatchOptions } from '../../../resolver/rule.ts';
import type { Issue } from '../../../vocabulary/error.ts';
import { issue, readBoolean, show, unsupported, valueByWord } from '../../rows/cells.ts';
import type { ColumnRole } from './column-role.ts';
import type { FormatName } from './csv-formats.ts';
import { columnsWith, type CsvLayout } from './layout.ts';
import { hostMismatch, isOwnHost } from '../../rows/source.ts';

export function conditionChecks({ columns, options, format }: CsvLayout) {
  const websiteQuery = options.query ?? 'pass';
  const checks: [ColumnRole, (cell: string, header: string) => Issue | undefined][] = [
    ['command', checkCommand],
    ['action', (cell, header) => checkAction(cell, header, format)],
    ['condition', checkCondition],
    ['host', (cell) => (cell === '' || isOwnHost(cell, options.ownHosts) ? undefined : hostMismatch(cell))],
    ['query', (cell, header) => checkQueryMode(cell, header, websiteQuery)],
  ];
  return checks.flatMap(([role, check]) =>
    columnsWith(columns, role).map(
      ({ at, header }) =>
        (cells: readonly string[]) =>
          check(cells[at] ?? '', header),
    ),
  );
}

/** NEW, MERGE, UPDATE and REPLACE all ask for the rule to exist; on_conflict decides if it does already. */
function checkCommand(cell: string, header: string): Issue | undefined {
  if (/^(new|merge|update|replace)?$/i.test(cell)) return undefined;
  if (/^delete$/i.test(cell)) return deleteNotSupported();
  return unsupported(`${header} is ${show(cell)}; write NEW, MERGE or UPDATE`);
}

/** An import only adds and updates: the file of another tool must not empty a website. */
export function deleteNotSupported(): Issue {
  return issue('row', 'DELETE_NOT_SUPPORTED', 'an import deletes nothing; delete the redirect itself');
}

/**
 * WordPress Redirection also passes requests through, picks a random page or does nothing. Screaming Frog also lists what
 * pages and browsers do.
 */
function checkAction(cell: string, header: string, format: FormatName): Issue | undefined {
  const [first = '', ...others] = format === 'screaming-frog' ? ['HTTP Redirect'] : ['url', 'error'];
  if (['', first, ...others].some((action) => action.toLowerCase() === cell.toLowerCase())) return undefined;
  const actions = [first, ...others].join(' and ');
  return unsupported(`${header} is ${show(cell)}; only ${actions} can be imported; leave the row out`);
}

/** Cells that mean "no condition": SEOPress's login, WordPress Redirection's match. */
const NO_CONDITION = new Set(['both', 'url']);

function checkCondition(cell: string, header: string): Issue | undefined {
  if (cell === '' || NO_CONDITION.has(cell.toLowerCase())) return undefined;
  if (readBoolean(cell, 'row', header) === false) return undefined;
  const remedy = `clear the cell, or map the column ${show(header)} to '' to import without it`;
  return unsupported(`${header} is ${show(cell)}, which cannot be expressed; ${remedy}`);
}

const MODES = valueByWord<MatchOptions['query']>([
  ['pass', 'true 1 yes y t pass preserve keep with_ignored_param'],
  ['drop', 'false 0 no n f drop discard ignore without_param'],
  ['exact', 'exact exact_match'],
]);

/** Here the query mode is an option of the website; a row with another mode would redirect other requests. */
function checkQueryMode(cell: string, header: string, websiteQuery: string): Issue | undefined {
  if (cell === '') return undefined;
  const mode = MODES.get(cell.toLowerCase());
  if (mode === websiteQuery) return undefined;
  const value = `${header} is ${show(cell)}`;
  const ignore = `map the column ${show(header)} to '' to import without it`;
  return unsupported(
    mode
      ? `${value}, but the website's query option is "${websiteQuery}"; set it to "${mode}", or ${ignore}`
      : `${value}, which cannot be expressed; ${ignore}`,
  );
}
