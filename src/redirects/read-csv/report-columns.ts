/** The columns that the list of an import's errors adds to those of the file. */
import { normalHeader } from './column-role.ts';

export const REPORT_COLUMNS = ['line', 'column', 'code', 'message'] as const;

/**
 * Returns the positions of these columns: none unless the file has all four. `code` may also be a column of the original
 * file; the one beside the others is ours.
 */
export function reportColumns(cells: readonly string[]): Set<number> {
  const names = cells.map(normalHeader);
  const block = names.findIndex((_, at) => REPORT_COLUMNS.every((name, nth) => names[at + nth] === name));
  if (block >= 0) return new Set(REPORT_COLUMNS.map((_, nth) => block + nth));
  const others = new Set<number>(REPORT_COLUMNS.filter((name) => name !== 'code').map((name) => names.indexOf(name)));
  const codes = [...names.keys()].filter((at) => names[at] === 'code');
  const code = codes.find((at) => others.has(at - 1) || others.has(at + 1)) ?? codes[0];
  return others.has(-1) || code === undefined ? new Set() : others.add(code);
}

/** True for a column that had no header in the original file. */
export function isUnnamedColumn(header: string): boolean {
  return /^column \d+$/.test(header);
}
