/** Notices of an import in words of the screen. */
import type { NoticeCode } from '../../../../src/vocabulary/import/issue.ts';
import type { FileImported } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';

type ImportNotice = FileImported['notices'][number];

type Side = NonNullable<ImportNotice['sides']>[number];

/** Words by option and value: for the first side, for a further one, and for this website. */
const OF_VALUE: Readonly<Record<string, Readonly<Record<string, readonly [string, string, string]>>>> = {
  query: {
    exact: ['query strings compared', 'compared', 'compares them'],
    drop: ['query strings dropped', 'dropped', 'drops them'],
    pass: ['query strings passed on', 'passed on', 'passes them on'],
  },
  trailing_slash: {
    exact: ['the slash at the end compared', 'compared', 'compares it'],
    ignore: ['the slash at the end ignored', 'ignored', 'ignores it'],
  },
  case_sensitive: {
    true: ['upper and lower case compared', 'compared', 'compares it'],
    false: ['upper and lower case ignored', 'ignored', 'ignores it'],
  },
};

const PRONOUN: Readonly<Record<string, string>> = { query: 'them', trailing_slash: 'it', case_sensitive: 'it' };

/** Lines that a text names of each side. */
const MAX_SHOWN_LINES = 8;

/** One advice with all sides: `16 rows want query strings compared (lines 2, 3), 3 want them dropped (line 5)`. */
function optionText({ column, current = '', sides = [] }: ImportNotice): string | undefined {
  const words = OF_VALUE[column];
  const [first] = sides;
  if (!words || !first) return undefined;
  const wants = sides.map(({ value, count, lines }, at) => {
    const [whole = value, short = value] = words[value] ?? [];
    const rows = at === 0 ? counted(count, 'row') : number(count);
    const wanted = at === 0 ? whole : `${PRONOUN[column] ?? 'it'} ${short}`;
    return `${rows} ${count === 1 ? 'wants' : 'want'} ${wanted} (${linesText({ count, lines })})`;
  });
  const keeps = words[current]?.[2] ?? current;
  const advice = first.value === current ? `This website ${keeps}, as most rows want` : `This website ${keeps}`;
  return `${wants.join(', ')}. ${advice}`;
}

function linesText({ count, lines }: Pick<Side, 'count' | 'lines'>): string {
  const shown = lines.slice(0, MAX_SHOWN_LINES).join(', ');
  const more = count - Math.min(lines.length, MAX_SHOWN_LINES);
  return `${count === 1 ? 'line' : 'lines'} ${shown}${more > 0 ? ` and ${number(more)} more` : ''}`;
}

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
const LISTED: ReadonlySet<string> = new Set<NoticeCode>([
  'COLUMN_IGNORED',
  'HOST_REMOVED',
  'NOT_A_REDIRECT',
  'ORDER_DIFFERS',
]);
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

/** True if a setting of the website decides, so that it can be changed there. The text of such a notice has its counts. */
export const isOfWebsite = (notice: ImportNotice): boolean =>
  notice.code === 'WEBSITE_OPTION' && optionText(notice) !== undefined;

const isNoticeCode = (code: string): code is NoticeCode => Object.hasOwn(OF_CODE, code);
