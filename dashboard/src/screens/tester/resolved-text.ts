import { BROKEN_TARGETS } from '../../../../src/vocabulary/checks.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { Expectation, Website } from '../../api/client/wire.ts';
import { reasonText } from '../../checks/results.ts';
import { STATES } from '../../checks/states.ts';
import type { Expected, ResolvedUrl } from './expected-lines.ts';

/** A result, and what its line expected. */
export interface TestedLine {
  result: ResolvedUrl;
  expected: Expected | undefined;
  /** undefined: nothing is expected */
  isExpected: boolean | undefined;
}

/** Kinds of results, by which a list is filtered. */
export type ResultKind =
  'redirected' | 'living' | 'broken' | 'unlisted' | 'chain' | 'loop' | 'gone' | 'missing' | 'fallback';

export const KIND_TEXT: Record<ResultKind, { label: string; tone: '' | 'ok' | 'warn' | 'danger' }> = {
  redirected: { label: 'Redirected', tone: 'ok' },
  living: { label: 'Living page', tone: 'ok' },
  broken: { label: 'Broken target', tone: 'danger' },
  unlisted: { label: 'No living page', tone: 'warn' },
  chain: { label: 'Chain', tone: 'warn' },
  loop: { label: 'Loop', tone: 'danger' },
  gone: { label: 'Gone', tone: '' },
  fallback: { label: 'Fallback', tone: '' },
  missing: { label: 'Not found', tone: 'warn' },
};

/** The kind of a result. A status without a target, such as 410, is `gone`. Without lists, no page is known. */
export function kindOf(result: ResolvedUrl): ResultKind {
  const { outcome, hops, location, redirect_id: id, final_page: page } = result;
  if (outcome === 'loop' || outcome === 'too-many') return 'loop';
  if (hops.length === 0 && id === null && location !== null) return 'fallback';
  if (hops.length === 0) return page === 'living' ? 'living' : 'missing';
  if (brokenText(result.final_target) !== undefined) return 'broken';
  if (page !== null && page !== 'living') return 'unlisted';
  if (hops.length > 1) return 'chain';
  return location === null ? 'gone' : 'redirected';
}

/** Why the target at the end does not work, if the last live check found that; otherwise undefined. */
export function brokenText(target: ResolvedUrl['final_target']): string | undefined {
  if (!target || !BROKEN_TARGETS.some((state) => state === target.state)) return undefined;
  return reasonText(target.reason) || STATES[target.state].help;
}

/**
 * The redirect that a path misses only by letter case or the slash at its end, and in words those of the two that the
 * website distinguishes.
 */
export function nearRule<Rule extends { old_path: string }>(
  rules: readonly Rule[],
  path: string,
  website: Pick<Website, 'case_sensitive' | 'trailing_slash'>,
): { rule: Rule; by: string } | undefined {
  const slashless = (text: string): string => text.replace(/\/$/, '');
  for (const rule of rules) {
    const source = rule.old_path;
    if (slashless(source).toLowerCase() !== slashless(path).toLowerCase()) continue;
    const isCase = website.case_sensitive && slashless(source) !== slashless(path);
    const isSlash = website.trailing_slash === 'exact' && source.endsWith('/') !== path.endsWith('/');
    const by = [...(isCase ? ['letter case'] : []), ...(isSlash ? ['the slash at its end'] : [])].join(' and ');
    if (by !== '') return { rule, by };
  }
  return undefined;
}

/**
 * What a line expected of its URL, otherwise how it responded, as an expectation. A target that is not the first Location
 * is the end of the chain.
 */
export function expectationOf({ result, expected }: TestedLine, environment: Environment): Expectation {
  const { url, status_code: status, location } = result;
  const expectation = { url, environment, status_code: expected?.status ?? status, location: null, final: null };
  if (!expected) return { ...expectation, location };
  const { target } = expected;
  if (target === undefined) return expectation;
  // A URL that does not redirect lacks a redirect to the target.
  const code = expected.status ?? (location === null ? 301 : status);
  return { ...expectation, status_code: code, ...(target === location ? { location } : { final: target }) };
}

/** The results as rows for a spreadsheet, with a header. */
export function rowsOf(tested: readonly TestedLine[]): string[][] {
  const isCompared = tested.some(({ expected }) => expected);
  const rows = tested.map(({ result, expected, isExpected }) => [
    result.url,
    KIND_TEXT[kindOf(result)].label,
    String(result.status_code),
    result.location ?? '',
    String(result.hops.length),
    result.final_url,
    ...(isCompared
      ? [expected?.target ?? '', String(expected?.status ?? ''), isExpected === undefined ? '' : asExpected(isExpected)]
      : []),
  ]);
  const compared = isCompared ? ['Expected', 'Expected status', 'Comparison'] : [];
  return [['URL', 'Result', 'Status', 'Location', 'Redirects', 'Final URL', ...compared], ...rows];
}

export const asExpected = (isExpected: boolean): string => (isExpected ? 'As expected' : 'Not as expected');

/** For the clipboard. */
export const sheetOf = (rows: readonly string[][]): string =>
  rows.map((row) => row.map((cell) => noFormula(cell.replaceAll(/[\t\r\n]/g, ' '))).join('\t')).join('\n');

export const csvOf = (rows: readonly string[][]): string =>
  rows.map((row) => row.map((cell) => `"${noFormula(cell).replaceAll('"', '""')}"`).join(',')).join('\r\n');

/** Spreadsheets read a cell that begins with one of these characters as a formula. */
const noFormula = (text: string): string => (/^[=+\-@]/.test(text) ? ` ${text}` : text);
