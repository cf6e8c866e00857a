/** Notices of an import in words of the screen. */
import type { NoticeCode } from '../../../../src/vocabulary/import-issue.ts';
import type { FileImported } from '../../api/wire.ts';
import { capitalized } from '../../format.ts';

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
  'case_sensitive true': 'In this tool upper and lower case differ. This website ignores case',
  'case_sensitive false': 'This tool ignores case. In this website upper and lower case differ',
};

const optionText = ({ column, value }: ImportNotice): string | undefined =>
  OF_OPTION[value === undefined ? column : `${column} ${value}`];

const OF_CODE: Readonly<Record<NoticeCode, (notice: ImportNotice) => string>> = {
  COLUMN_IGNORED: ({ column }) => `Column “${column}” is not supported and was ignored`,
  WEBSITE_OPTION: (notice) =>
    optionText(notice) ?? `Column “${notice.column}” was ignored: it is a setting of the website here`,
  HOST_REMOVED: () => 'The website’s own host was removed from sources and targets',
  SLASH_ADDED: () => 'A leading / was added to sources',
  CONVERTED_TO_PATTERN: () => 'Wildcards and match types such as “starts with” were converted to patterns',
  PATTERN_ANCHORED: () => 'Patterns with an open beginning or end were completed to match the whole path',
  DISABLED_AS_DRAFT: () => 'Disabled redirects are imported as drafts',
  NOT_A_REDIRECT: ({ column }) => `“${column}” is not a redirect and was ignored`,
  QUERY_PAIRS: () => 'Conditions on the whole query became required parameters. Others are allowed',
  ORDER_DIFFERS: ({ column }) =>
    `${capitalized(column)}: answers some paths that an earlier statement answers on the server`,
  EMPTY_ROWS: () => 'Empty rows were skipped',
};

export const noticeText = (notice: ImportNotice): string =>
  isNoticeCode(notice.code) ? OF_CODE[notice.code](notice) : 'Values were changed';

/** True if a setting of the website decides, so that it can be changed there. */
export const isOfWebsite = (notice: ImportNotice): boolean =>
  notice.code === 'WEBSITE_OPTION' && optionText(notice) !== undefined;

const isNoticeCode = (code: string): code is NoticeCode => Object.hasOwn(OF_CODE, code);
