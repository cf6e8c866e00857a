/** Rows of TYPO3's table sys_redirect. */
import { isIssue, type Issue } from '../../../../vocabulary/error.ts';
import { readBoolean, show, unsupported } from '../../../rows/cells.ts';
import { appendPairs } from '../../../rows/source.ts';
import type { RowOptions, ToolCells } from './tool-cells.ts';

export function readTypo3(row: ToolCells): RowOptions | Issue {
  const { cell, replace, flags } = row;
  if (cell('host') === '*') replace('host', '');
  for (const field of ['active_from', 'active_until'] as const) replace(field, asMoment(cell(field)));
  const problem = targetProblem(cell('new_path'), flags['forcehttps'] === true);
  if (problem) return problem;
  const isRegex = readBoolean(cell('is_regex'), 'is_regex', 'is_regexp');
  if (isIssue(isRegex)) return isRegex;
  const { respectqueryparameters: respects = false, keepqueryparameters: keeps = false } = flags;
  const query = keeps ? ('pass' as const) : ('drop' as const);
  if (isRegex === true) return readPattern(row, respects ? { patterns: query } : { query });
  const [, pairs] = cell('old_path').split('?');
  if (pairs === undefined) return { query: respects ? 'exact' : query };
  if (!respects) return neverFound(cell('old_path'));
  if (keeps) replace('new_path', appendPairs(cell('new_path'), [pairs]));
  return { query, isQueryLoosened: true };
}

/** TYPO3 writes seconds, and 0 for no limit. */
function asMoment(cell: string): string {
  if (/^0?$/.test(cell)) return '';
  return /^[1-9]\d{8,10}$/.test(cell) ? new Date(Number(cell) * 1000).toISOString() : cell;
}

function targetProblem(target: string, forcesHttps: boolean): Issue | undefined {
  const value = `new_path is ${show(target)}`;
  if (/^(?:t3:|file:\d|\d+$)/i.test(target)) {
    const remedy = 'export the redirects with the URLs of their targets, or write the URL';
    return unsupported(`${value}, an id inside of TYPO3 and not an address; ${remedy}`, 'new_path');
  }
  if (/\s/.test(target))
    return unsupported(`${value}, which has more than an address; write the address alone`, 'new_path');
  if (!forcesHttps || /^https:/i.test(target)) return undefined;
  return unsupported(
    `force_https is on, but ${value}; write the address with https://, or 0 in force_https`,
    'new_path',
  );
}

function neverFound(source: string): Issue {
  const reason = 'TYPO3 never finds it without respect_query_parameters';
  return unsupported(`old_path is ${show(source)}, but ${reason}; write 1 in that column`, 'old_path');
}

const DELIMITED = /^([/#~!@%,;])([^]*)\1([a-zA-Z]*)$/;

/** A pattern of PHP, between delimiters and with modifiers. */
function readPattern({ cell, replace }: ToolCells, options: RowOptions): RowOptions | Issue {
  const source = cell('old_path');
  const [, delimiter = '', pattern = '', modifiers = ''] = DELIMITED.exec(source) ?? [];
  const value = `old_path is ${show(source)}`;
  if (delimiter === '') return unsupported(`${value}; write the pattern between two "#"`, 'old_path');
  if (!/^[iuD]*$/.test(modifiers))
    return unsupported(`${value}; its modifiers ${show(modifiers)} cannot be expressed; remove them`, 'old_path');
  if (options.query !== undefined && /\\\?(?![?*{])/.test(pattern)) return neverFound(source);
  replace('old_path', pattern.replaceAll(`\\${delimiter}`, delimiter));
  return modifiers.includes('i') ? { ...options, caseSensitive: false } : options;
}
