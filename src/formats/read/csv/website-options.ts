/**
 * What tools do where a website here has an option: treat the query, the slash at the end and upper case. Their files
 * do not say it, so a notice does if the website's option differs.
 */
import type { MatchOptions } from '../../../resolver/rule.ts';
import { type Tool, TOOLS } from './csv-formats.ts';
import { columnWith, type CsvLayout } from './layout.ts';
import type { CsvRule } from './read-rule.ts';
import type { RowOptions } from './tools/tool-cells.ts';
import type { Count } from '../../rows/row.ts';

type QueryOption = MatchOptions['query'];

/** Returns the counter of a row's differences from the website's options. `cells`: a query column with content wins. */
export function optionCounter({ format, columns, options }: CsvLayout, count: Count) {
  const known = TOOLS[format];
  const query = columnWith(columns, 'query');
  const target = columnWith(columns, 'new_path');
  const { query: websiteQuery = 'pass', caseSensitive = true, trailingSlash = 'ignore' } = options;
  if (!known) return () => {};
  const parts = columnWith(columns, 'old_path_parts');
  return (cells: readonly string[], rule: CsvRule, ofRow: RowOptions | undefined): void => {
    const tool = ofRow ? { ...known, ...ofRow } : known;
    const said = query && (cells[query.at] ?? '') !== '';
    const isAddress = target !== undefined && /^https?:/i.test(cells[target.at] ?? '');
    const asked = isAddress ? (tool.toAddress ?? queryOf(tool, rule)) : queryOf(tool, rule);
    const wanted = said === true ? websiteQuery : asked;
    if (wanted !== undefined && differs(wanted, websiteQuery, rule)) count('WEBSITE_OPTION', 'query', wanted);
    const slash = tool.trailingSlash ?? trailingSlash;
    if (slash !== trailingSlash && rule.isRegex !== true) count('WEBSITE_OPTION', 'trailing_slash', slash);
    const part = parts === undefined ? '' : (cells[parts.at] ?? '');
    const wantedCase = part === '' || part.startsWith(':') ? tool.caseSensitive : tool.partsCaseSensitive;
    if (wantedCase !== undefined && wantedCase !== caseSensitive)
      count('WEBSITE_OPTION', 'case_sensitive', String(wantedCase));
  };
}

function queryOf({ query, patterns, pairs }: Tool, rule: CsvRule): QueryOption | undefined {
  const { isRegex, oldPath, newPath } = rule;
  if (isRegex !== true && pairs && oldPath.includes('?')) return pairs;
  if (isRegex !== true || !patterns) return query;
  if (!/\.\*\)?\$?$/.test(oldPath)) return 'exact';
  if (patterns !== 'captured') return patterns;
  // The last group takes the rest of the address, and the target ends with it.
  const isLast = /\(\.\*\)\$?$/.test(oldPath) && typeof newPath === 'string' && /\$\d$/.test(newPath);
  return isLast ? 'pass' : 'drop';
}

/** Without a target, passing and dropping the query are the same. */
function differs(wanted: QueryOption, website: QueryOption, { newPath }: CsvRule): boolean {
  if (typeof newPath !== 'string' && wanted !== 'exact' && website !== 'exact') return false;
  return wanted !== website;
}
