import { type Problem, problem, readBoolean, show } from './cells.ts';
import { columnsWith, type PlacedColumn, type CsvLayout, type CsvOptions, type QueryOption } from './row.ts';
import { hostMismatch, isOwnHost } from './source.ts';

export type Check = (cells: readonly string[]) => Problem | undefined;

/** What a row may say that a redirect of ours cannot: one check for each such column that the file has. */
export function conditionChecks(layout: CsvLayout, options: CsvOptions): Check[] {
  const ours = options.query ?? 'pass';
  const checked: [
    Parameters<typeof columnsWith>[1],
    (cell: string, header: string) => Problem | undefined,
  ][] = [
    ['command', checkCommand],
    ['action', checkAction],
    ['condition', checkCondition],
    ['host', (cell) => (cell === '' || isOwnHost(cell, options.ownHosts) ? undefined : hostMismatch(cell))],
    ['query', (cell, header) => checkQueryMode(cell, header, ours)],
  ];
  return checked.flatMap(([meaning, check]) => {
    return columnsWith(layout.columns, meaning).map((column) => onCell(column, check));
  });
}

function onCell(
  { at, header }: PlacedColumn,
  check: (cell: string, header: string) => Problem | undefined,
): Check {
  return (cells) => check(cells[at] ?? '', header);
}

/** NEW, MERGE, UPDATE and REPLACE all say that the rule is to be there; what happens if it is, on_conflict says. */
function checkCommand(cell: string, header: string): Problem | undefined {
  if (/^(new|merge|update|replace)?$/i.test(cell)) return undefined;
  if (/^delete$/i.test(cell)) return deleteNotSupported();
  return problem('row', 'CONDITION_NOT_SUPPORTED', `${header} is ${show(cell)}; write NEW, MERGE or UPDATE`);
}

/** An import only adds and updates: the file of one tool must not empty a website. */
export function deleteNotSupported(): Problem {
  return problem('row', 'DELETE_NOT_SUPPORTED', 'an import deletes nothing; delete the redirect itself');
}

/** WordPress Redirection also passes requests through, picks a page by chance or does nothing. */
function checkAction(cell: string, header: string): Problem | undefined {
  if (/^(url|error)?$/i.test(cell)) return undefined;
  const remedy = 'only url and error can be imported; leave the row out';
  return problem('row', 'CONDITION_NOT_SUPPORTED', `${header} is ${show(cell)}; ${remedy}`);
}

/** Cells by which a tool says that there is no condition: SEOPress's login, WordPress Redirection's match. */
const NO_CONDITION = new Set(['both', 'url']);

function checkCondition(cell: string, header: string): Problem | undefined {
  if (cell === '' || NO_CONDITION.has(cell.toLowerCase())) return undefined;
  if (readBoolean(cell, 'row', header) === false) return undefined;
  const remedy = `clear the cell, or map the column ${show(header)} to '' to import without it`;
  return problem(
    'row',
    'CONDITION_NOT_SUPPORTED',
    `${header} is ${show(cell)}, which cannot be expressed; ${remedy}`,
  );
}

const MODES = new Map<string, QueryOption>([
  ...['true', '1', 'yes', 'y', 't', 'pass', 'preserve', 'keep', 'with_ignored_param'].map(
    (word) => [word, 'pass'] as const,
  ),
  ...['false', '0', 'no', 'n', 'f', 'drop', 'discard', 'ignore', 'without_param'].map(
    (word) => [word, 'drop'] as const,
  ),
  ...['exact', 'exact_match'].map((word) => [word, 'exact'] as const),
]);

/**
 * What a file says about queries is the website's option with us, for all its rules alike: a row that says the same
 * is kept, one that says something else is refused, since it would redirect requests in another way than it did.
 */
export function checkQueryMode(cell: string, header: string, ours: QueryOption): Problem | undefined {
  if (cell === '') return undefined;
  const mode = MODES.get(cell.toLowerCase());
  if (mode === ours) return undefined;
  const says = `${header} is ${show(cell)}`;
  const ignore = `map the column ${show(header)} to '' to import without it`;
  const message = mode
    ? `${says}, but the website's query option is "${ours}"; set it to "${mode}", or ${ignore}`
    : `${says}, which cannot be expressed; ${ignore}`;
  return problem('row', 'CONDITION_NOT_SUPPORTED', message);
}
