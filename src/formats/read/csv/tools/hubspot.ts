/** Rows of HubSpot's URL redirects. A flexible pattern has `{name}` or `:name` for a segment, `{*name}` for all others. */
import { isIssue, type Issue } from '../../../../vocabulary/error.ts';
import { issue, show, unsupported } from '../../../rows/cells.ts';
import { readMatchKind } from '../../../rows/match-kind.ts';
import type { CsvRule } from '../read-rule.ts';
import type { RowOptions, ToolCells } from './tool-cells.ts';

const STYLES: readonly (readonly [RegExp, string])[] = [
  [/^(?:permanent|permanent redirect)?(?: ?\(?301\)?)?$/i, '301'],
  [/^(?:temporary|temporary redirect)?(?: ?\(?302\)?)?$/i, '302'],
];

export function readHubspot(row: ToolCells): RowOptions | Issue {
  const { cell, replace, flags } = row;
  const style = cell('status_code');
  if (/proxy|305/i.test(style))
    return unsupported(`the redirect style ${show(style)} shows another page; leave the row out`);
  replace('status_code', STYLES.find(([pattern]) => style !== '' && pattern.test(style))?.[1] ?? style);
  const source = cell('old_path');
  const isAnyProtocol = flags['ignoreprotocol'] ?? flags['ignoreprotocoldifferences'] ?? true;
  if (!isAnyProtocol && source.includes('://'))
    return unsupported(
      `old_path is ${show(source)} of this protocol alone; a redirect answers both, so write true`,
      'old_path',
    );
  const matchesQuery = flags['matchquerystring'] ?? flags['matchquerystrings'];
  const hasQuery = source.includes('?');
  if (hasQuery && matchesQuery === false)
    return unsupported(`old_path is ${show(source)}, but HubSpot does not compare its query; remove it`, 'old_path');
  const problem = readPattern(row);
  if (problem) return problem;
  const { ignoretrailingslash: ignoresSlash } = flags;
  return {
    ...(ignoresSlash !== undefined && { trailingSlash: ignoresSlash ? 'ignore' : 'exact' }),
    ...(matchesQuery === true && (hasQuery ? { isQueryLoosened: true } : { query: 'exact' })),
    ...(matchesQuery === false && { comparesQuery: false }),
  };
}

/** The rule of a row that ignores the slash at the end; for a path, an option of the website decides. */
export function withAnySlash(rule: CsvRule): CsvRule {
  if (rule.isRegex !== true) return rule;
  const end = (_: string, rest?: string): string => `${rest === undefined ? '' : '(.+?)'}/?$`;
  return { ...rule, oldPath: rule.oldPath.replace(/(\(\.\+\))?\/?\$$/, end) };
}

const NAME = /\{(\*?)([A-Za-z_][\w-]*)\}|(?<=\/)([:*])([A-Za-z_][\w-]*)/g;

/** Writes the names of a flexible pattern as `[name]` and `[...name]`, which formats/rows/wildcards.ts converts. */
function readPattern({ cell, replace }: ToolCells): Issue | undefined {
  const [source, target] = [cell('old_path'), cell('new_path')];
  const kind = readMatchKind(cell('match'), 'Redirect type');
  if (isIssue(kind)) return kind;
  if (kind === undefined && /[{}]/.test(source)) {
    const remedy = 'write Standard or Flexible pattern as its redirect type';
    return issue('old_path', 'AMBIGUOUS_WILDCARD', `old_path is ${show(source)}, which may have a wildcard; ${remedy}`);
  }
  if (kind !== 'wildcards') return undefined;
  const bracket = (rest: string, name: string): string => `[${rest === '*' ? '...' : ''}${name.replaceAll('-', '_')}]`;
  const [path, destination] = [source, target].map((text) =>
    text.replace(NAME, (_, star: string | undefined, name: string | undefined, sign?: string, other?: string) =>
      bracket(star ?? sign ?? '', name ?? other ?? ''),
    ),
  );
  if (path === source && !/[[\]{}*]|\/:/.test(source)) return void replace('match', 'exact');
  if (
    /[[\]]/.test(source + target) ||
    /[{}*]|\/:/.test(`${path ?? ''}`.replace(/\[[^\]]*\]/g, '')) ||
    /[{}*]|\$\d|\\\d/.test(destination ?? '')
  )
    return unsupported(
      `old_path is ${show(source)}, whose wildcards cannot be converted; write {name} for a segment`,
      'old_path',
    );
  replace('old_path', path ?? '');
  replace('new_path', destination ?? '');
  return undefined;
}
