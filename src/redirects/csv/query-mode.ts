import { type Problem, problem, show } from './cells.ts';
import type { QueryOption } from './row.ts';

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
