/** Notices of an import in words of the screen. */
import type { NoticeCode } from '../../../../src/vocabulary/import/issue.ts';
import type { FileImported } from '../../api/client/wire.ts';

type ImportNotice = FileImported['notices'][number];

/** By the option, and by the setting of the tool if the file says it. */
const OF_OPTION: Readonly<Record<string, string>> = {
  query: 'The server treats the query string differently from this website',
  'query exact':
    'In this tool a path matches only without further parameters. This website treats the query differently',
  'query drop': 'This tool drops the query. This website treats it differently',
  'query pass': 'This tool passes the query on. This website treats it differently',
  trailing_slash: 'The server treats the slash at the end differently from this website',
  'trailing_slash exact': 'This tool compares the slash at the end. This website ignores it',
  'trailing_slash ignore': 'This tool ignores the slash at the end. This website compares it',
  case_sensitive: 'The server treats upper and lower case differently from this website',
  'case_sensitive true': 'This tool distinguishes upper and lower case. This website ignores case',
  'case_sensitive false': 'This tool ignores case. This website distinguishes upper and lower case',
};

const optionText = ({ column, value }: ImportNotice): string | undefined =>
  OF_OPTION[value === undefined ? column : `${column} ${value}`];

const OF_CODE: Readonly<Record<NoticeCode, (notice: ImportNotice) => string>> = {
  COLUMN_IGNORED: ({ column }) => `Not supported, and ignored: the values of ${column}`,
  WEBSITE_OPTION: (notice) =>
    optionText(notice) ?? `Column “${notice.column}” was ignored: it is a setting of the website here`,
  HOST_REMOVED: () => 'The website’s own host was removed from sources and targets',
  SLASH_ADDED: () => 'A leading / was added to sources',
  CONVERTED_TO_PATTERN: () => 'Wildcards and match types such as “starts with” were converted to patterns',
  PATTERN_ANCHORED: () => 'Patterns with an open beginning or end were completed to match the whole path',
  DISABLED_AS_DRAFT: () => 'Disabled redirects are imported as drafts',
  NOT_A_REDIRECT: ({ column }) => `Not a redirect, and ignored: ${column}`,
  QUERY_PAIRS: () => 'Conditions on the whole query became required parameters. Others are allowed',
  ORDER_DIFFERS: ({ column }) => `The server may use an earlier line for some paths of ${column}`,
  EMPTY_ROWS: () => 'Empty rows were skipped',
};

/** Notices that say the same of several columns, directives or lines. */
const LISTED: ReadonlySet<string> = new Set<NoticeCode>(['COLUMN_IGNORED', 'NOT_A_REDIRECT', 'ORDER_DIFFERS']);
const MAX_LISTED = 8;

/** Merges the notices that can be one text, at the place of the first. */
export function mergedNotices(notices: readonly ImportNotice[]): ImportNotice[] {
  const merged = new Map<string, { notice: ImportNotice; names: string[]; count: number }>();
  for (const notice of notices) {
    const known = merged.get(keyOf(notice));
    known?.names.push(notice.column);
    if (known) known.count += notice.count;
    else merged.set(keyOf(notice), { notice, names: [notice.column], count: notice.count });
  }
  return [...merged.values()].map(({ notice, names, count }) => ({ ...notice, column: listOf(names), count }));
}

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown;
}

const keyOf = ({ code, column, value = '' }: ImportNotice): string =>
  LISTED.has(code) ? code : `${code} ${column} ${value}`;

export const noticeText = (notice: ImportNotice): string =>
  isNoticeCode(notice.code) ? OF_CODE[notice.code](notice) : 'Values were changed';

/** True if a setting of the website decides, so that it can be changed there. */
export const isOfWebsite = (notice: ImportNotice): boolean =>
  notice.code === 'WEBSITE_OPTION' && optionText(notice) !== undefined;

const isNoticeCode = (code: string): code is NoticeCode => Object.hasOwn(OF_CODE, code);
