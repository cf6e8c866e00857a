/**
 * What tools do where a website here has an option: treat the query, the slash at the end and upper case. Their files
 * do not say it, so a notice does if the website's option differs. Sources: the code or documentation of each tool.
 */
import type { FormatName } from './csv-formats.ts';
import { columnWith, type CsvLayout, type QueryOption } from './layout.ts';
import type { CsvRule } from './read-rule.ts';
import type { Count } from '../../rows/row.ts';

/** A missing field is a setting of the tool, or unknown. */
interface Treatment {
  /** of paths, and of patterns too unless `patterns` says it */
  query?: QueryOption;
  /**
   * `address`: patterns are compared with path and query; text after the found part is kept (`pass`), not kept (`drop`),
   * or kept if the last group holds it (`captured`)
   */
  patterns?: { address: 'pass' | 'drop' | 'captured' };
  /** of a path with a query */
  pairs?: QueryOption;
  /** of a target that is written as a URL */
  toAddress?: QueryOption;
  trailingSlash?: 'exact' | 'ignore';
  caseSensitive?: boolean;
  /** of a source in a column of its own, as `old_path_parts` is */
  partsCaseSensitive?: boolean;
}

const TREATMENTS: Partial<Record<FormatName, Treatment>> = {
  'wordpress-redirection': { query: 'exact', patterns: { address: 'pass' } },
  'rank-math': { query: 'pass', pairs: 'exact', trailingSlash: 'ignore', caseSensitive: true },
  yoast: { query: 'exact', patterns: { address: 'drop' }, trailingSlash: 'ignore', caseSensitive: true },
  vercel: { query: 'drop', caseSensitive: false },
  cloudflare: { query: 'drop', trailingSlash: 'exact', caseSensitive: true },
  shopify: { query: 'pass' },
  matrixify: { query: 'pass' },
  magento: { query: 'pass', toAddress: 'drop', trailingSlash: 'ignore', caseSensitive: false },
  akamai: { query: 'drop', partsCaseSensitive: false },
  easyredir: { query: 'drop' },
  sitedetour: { query: 'drop' },
  seopress: { query: 'exact', trailingSlash: 'ignore', caseSensitive: false },
  shlink: { query: 'pass', trailingSlash: 'exact', caseSensitive: true },
  flecto: { query: 'exact', patterns: { address: 'captured' }, trailingSlash: 'exact', caseSensitive: true },
};

/** Returns the counter of a row's differences from the website's options. `cells`: a query column with content wins. */
export function optionCounter({ format, columns, options }: CsvLayout, count: Count) {
  const treatment = TREATMENTS[format];
  const query = columnWith(columns, 'query');
  const target = columnWith(columns, 'new_path');
  const { query: websiteQuery = 'pass', caseSensitive = true, trailingSlash = 'ignore' } = options;
  if (!treatment) return () => {};
  const differsInSlash = treatment.trailingSlash !== undefined && treatment.trailingSlash !== trailingSlash;
  const parts = columnWith(columns, 'old_path_parts');
  return (cells: readonly string[], rule: CsvRule): void => {
    const said = query && (cells[query.at] ?? '') !== '';
    const isAddress = target !== undefined && /^https?:/i.test(cells[target.at] ?? '');
    const asked = isAddress ? (treatment.toAddress ?? queryOf(treatment, rule)) : queryOf(treatment, rule);
    const wanted = said === true ? websiteQuery : asked;
    if (wanted !== undefined && differs(wanted, websiteQuery, rule)) count('WEBSITE_OPTION', 'query', wanted);
    if (differsInSlash && rule.isRegex !== true) count('WEBSITE_OPTION', 'trailing_slash', treatment.trailingSlash);
    const part = parts === undefined ? '' : (cells[parts.at] ?? '');
    const wantedCase = part === '' || part.startsWith(':') ? treatment.caseSensitive : treatment.partsCaseSensitive;
    if (wantedCase !== undefined && wantedCase !== caseSensitive)
      count('WEBSITE_OPTION', 'case_sensitive', String(wantedCase));
  };
}

function queryOf({ query, patterns, pairs }: Treatment, rule: CsvRule): QueryOption | undefined {
  const { isRegex, oldPath } = rule;
  if (isRegex !== true && pairs && oldPath.includes('?')) return pairs;
  if (isRegex !== true || !patterns) return query;
  if (!/\.\*\)?\$?$/.test(oldPath)) return 'exact';
  if (patterns.address !== 'captured') return patterns.address;
  return keepsRest(rule) ? 'pass' : 'drop';
}

/** True if the last group takes the rest of the address, and the target ends with it. */
function keepsRest({ oldPath, newPath }: CsvRule): boolean {
  return /\(\.\*\)\$?$/.test(oldPath) && typeof newPath === 'string' && /\$\d$/.test(newPath);
}

/** Without a target, passing and dropping the query are the same. */
function differs(wanted: QueryOption, website: QueryOption, { newPath }: CsvRule): boolean {
  if (typeof newPath !== 'string' && wanted !== 'exact' && website !== 'exact') return false;
  return wanted !== website;
}
