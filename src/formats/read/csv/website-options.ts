/**
 * What tools do where a website here has an option: treat the query, the slash at the end and upper case. Their files
 * do not say it, so a notice does if the website's option differs.
 */
import { isIssue } from '../../../vocabulary/error.ts';
import type { MatchOptions } from '../../../resolver/rule.ts';
import { readBoolean } from '../../rows/cells.ts';
import type { RowNotices } from '../../rows/notices.ts';
import { normalHeader } from './column-role.ts';
import { type Tool, toolOf } from './csv-formats.ts';
import { columnsWith, columnWith, type CsvLayout, matchOptions, type PlacedColumn } from './layout.ts';
import type { CsvRule } from './read-rule.ts';
import type { RowOptions } from './tools/tool-cells.ts';

type QueryOption = MatchOptions['query'];

/** A row that could be read as a redirect. `options`: those of its cells. */
export interface ReadRow {
  line: number;
  cells: readonly string[];
  rule: CsvRule;
  options: RowOptions | undefined;
}

/** Returns the counter of the options that rows want, those that the website has too. */
export function optionCounter(layout: CsvLayout, notices: RowNotices) {
  const { format, columns } = layout;
  const known = toolOf(format);
  const query = columnWith(columns, 'query');
  const target = columnWith(columns, 'new_path');
  const website = matchOptions(layout);
  const parts = columnWith(columns, 'old_path_parts');
  const readCase = caseReader(layout, notices);

  /** Another value in the column of the query makes a row invalid, so a valid one wants what the website does. */
  function queryWanted({ cells, rule, options }: ReadRow, tool: Tool): QueryOption | undefined {
    if (options?.comparesQuery === false) return website.query === 'exact' ? 'pass' : website.query;
    const said = query && (cells[query.at] ?? '') !== '' ? website.query : undefined;
    if (said !== undefined && (rule.isRegex !== true || !tool.patterns)) return said;
    const isAddress = target !== undefined && /^https?:/i.test(cells[target.at] ?? '');
    return (isAddress ? tool.toAddress : undefined) ?? queryOf(tool, rule, said);
  }

  function caseWanted({ line, cells }: ReadRow, tool: Tool): boolean | undefined {
    const said = readCase(cells, line);
    if (said !== undefined) return said;
    const part = parts === undefined ? '' : (cells[parts.at] ?? '');
    if (part === '' || tool.partsCaseSensitive === undefined) return tool.caseSensitive;
    // In Akamai a colon before the path makes case matter.
    return part.startsWith(':') || tool.partsCaseSensitive;
  }

  return (row: ReadRow): void => {
    const { line, rule } = row;
    const tool = row.options ? { ...known, ...row.options } : known;
    const wanted = queryWanted(row, tool);
    if (wanted !== undefined && isDecidedBy(wanted, website.query, rule)) notices.want('query', wanted, line);
    if (target && tool.requestWins && rule.newPath?.includes('?') === true)
      notices.count('WEBSITE_OPTION', target.header, line);
    if (tool.trailingSlash && rule.isRegex !== true) notices.want('trailing_slash', tool.trailingSlash, line);
    const isCaseSensitive = caseWanted(row, tool);
    if (isCaseSensitive !== undefined) notices.want('case_sensitive', String(isCaseSensitive), line);
  };
}

/** Reads what the cells of a row say about case, and counts those that say something else. */
function caseReader({ format, columns }: CsvLayout, notices: RowNotices) {
  const options = columnsWith(columns, 'option');
  const read = (column: PlacedColumn, cell: string): boolean | undefined => {
    if (format === 'rank-math' && normalHeader(column.header) === 'ignore')
      return cell.toLowerCase() === 'case' ? false : undefined;
    const value = readBoolean(cell, 'row', column.header);
    return isIssue(value) ? undefined : value;
  };
  return (cells: readonly string[], line: number): boolean | undefined => {
    let said: boolean | undefined;
    for (const column of options) {
      const cell = cells[column.at] ?? '';
      if (cell === '') continue;
      const value = read(column, cell);
      if (value === undefined) notices.count('WEBSITE_OPTION', column.header, line);
      said ??= value;
    }
    return said;
  };
}

/** `said`: by the column of the query. */
function queryOf({ query, patterns, pairs }: Tool, rule: CsvRule, said?: QueryOption): QueryOption | undefined {
  const { isRegex, oldPath, newPath } = rule;
  if (isRegex !== true && pairs && oldPath.includes('?')) return pairs;
  if (isRegex !== true || !patterns) return query;
  if (!/\.\*\)?\$?$/.test(oldPath)) return 'exact';
  if (patterns !== 'captured') return said === 'pass' ? said : patterns;
  // The last group takes the rest of the address, and the target ends with it.
  const isLast = /\(\.\*\)\$?$/.test(oldPath) && typeof newPath === 'string' && /\$\d$/.test(newPath);
  return isLast ? 'pass' : 'drop';
}

/** Without a target, passing and dropping the query are the same: such a row wants neither of them. */
function isDecidedBy(wanted: QueryOption, website: QueryOption, { newPath }: CsvRule): boolean {
  return typeof newPath === 'string' || wanted === 'exact' || website === 'exact';
}
