/** Counts what a file has that is not stored as it is, and what its tool does otherwise than the website. */
import type { MatchOptions } from '../../resolver/rule.ts';
import type { NoticeCode, WebsiteOption } from '../../vocabulary/import/issue.ts';
import { ROW_NOTICES } from '../../vocabulary/import/verdict.ts';

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

/** The notices of each row, for its verdict. */
export interface RowMarks {
  /** Adds a notice to the row at a line, unless no row can have it. */
  add(notice: string, line: number): void;
  /** Yields lines and the bits of ROW_NOTICES. A line may come several times. */
  parts(): Iterable<{ lines: number[]; bits: number[] }>;
}

const PART_ROWS = 50_000;

/** Keeps 16 bytes for each row with a notice. */
export function createRowMarks(): RowMarks {
  const bitOf = new Map<string, number>(ROW_NOTICES.map((notice, at) => [notice, 1 << at]));
  const lines: number[] = [];
  const bits: number[] = [];
  return {
    add(notice, line) {
      const bit = bitOf.get(notice);
      if (bit === undefined) return;
      const last = lines.length - 1;
      if (lines[last] === line) bits[last] = (bits[last] ?? 0) | bit;
      else {
        lines.push(line);
        bits.push(bit);
      }
    },
    *parts() {
      for (let at = 0; at < lines.length; at += PART_ROWS)
        yield { lines: lines.slice(at, at + PART_ROWS), bits: bits.slice(at, at + PART_ROWS) };
    },
  };
}

export type WebsiteOptions = Readonly<Record<WebsiteOption, string>>;

export const optionValues = ({ query, caseSensitive, trailingSlash }: MatchOptions): WebsiteOptions => ({
  query,
  case_sensitive: String(caseSensitive),
  trailing_slash: trailingSlash,
});

/** `list`: the notices so far; of an option there is one if rows want another value than `current` has. */
export function createNotices(current: WebsiteOptions, marks?: RowMarks): RowNotices & { list(): FileNotice[] } {
  const counted = new Map<string, FileNotice>();
  const wanted = new Map<WebsiteOption, Map<string, NoticeSide>>();
  return {
    count(code, column, line) {
      marks?.add(code, line);
      const key = `${code} ${column}`;
      const notice = counted.get(key);
      if (notice) notice.count++;
      else counted.set(key, { code, column, count: 1 });
    },
    want(option, value, line) {
      marks?.add(`${option}:${value}`, line);
      if (value !== current[option]) for (const notice of ['WEBSITE_OPTION', option]) marks?.add(notice, line);
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
