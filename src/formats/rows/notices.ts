/** Counts what a file has that is not stored as it is, and what its tool does otherwise than the website. */
import type { MatchOptions } from '../../resolver/rule.ts';
import type { NoticeCode, WebsiteOption } from '../../vocabulary/import/issue.ts';

/** How often a value was read but not stored, or stored in another form. */
export interface FileNotice {
  code: NoticeCode;
  /** the header in the file, or our field if no single column is concerned; of an option its name */
  column: string;
  /** of an option: the value that most rows want of those that want another than the website has */
  value?: string;
  /** of an option: the rows that want `value` */
  count: number;
  /** of an option: the value that the website has */
  current?: string;
  /** of an option: every value that rows want, the website's too, most rows first */
  sides?: NoticeSide[];
}

/** The rows that want one value of an option. */
export interface NoticeSide {
  value: string;
  count: number;
  /** the first 20 */
  lines: number[];
}

export interface RowNotices {
  /** Counts a value that is not stored as it is; `column` is a header of the file or our field. */
  count(code: NoticeCode, column: string, line: number): void;
  /** Counts the value of an option with which the website would do as the tool of the row. */
  want(option: WebsiteOption, value: string, line: number): void;
}

const MAX_LINES = 20;

export type WebsiteOptions = Readonly<Record<WebsiteOption, string>>;

export const optionValues = ({ query, caseSensitive, trailingSlash }: MatchOptions): WebsiteOptions => ({
  query,
  case_sensitive: String(caseSensitive),
  trailing_slash: trailingSlash,
});

/** `list`: the notices so far; of an option there is one if rows want another value than `current` has. */
export function createNotices(current: WebsiteOptions): RowNotices & { list(): FileNotice[] } {
  const counted = new Map<string, FileNotice>();
  const wanted = new Map<WebsiteOption, Map<string, NoticeSide>>();
  return {
    count(code, column) {
      const key = `${code} ${column}`;
      const notice = counted.get(key);
      if (notice) notice.count++;
      else counted.set(key, { code, column, count: 1 });
    },
    want(option, value, line) {
      const sides = wanted.get(option) ?? new Map<string, NoticeSide>();
      const side = sides.get(value) ?? { value, count: 0, lines: [] };
      wanted.set(option, sides.set(value, side));
      side.count++;
      if (side.lines.length < MAX_LINES) side.lines.push(line);
    },
    list: () => [
      ...counted.values(),
      ...[...wanted].flatMap(([option, sides]) => optionNotice(option, current[option], [...sides.values()])),
    ],
  };
}

function optionNotice(column: WebsiteOption, current: string, wanted: readonly NoticeSide[]): FileNotice[] {
  const isCurrent = ({ value }: NoticeSide): number => Number(value === current);
  const sides = wanted.toSorted((one, other) => other.count - one.count || isCurrent(other) - isCurrent(one));
  const advised = sides.find(({ value }) => value !== current);
  if (!advised) return [];
  const { value, count } = advised;
  return [{ code: 'WEBSITE_OPTION', column, value, count, current, sides }];
}
