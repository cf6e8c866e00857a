/** Types that the readers of server files share: statements, and the rules that they stand for. */
import type { MatchOptions } from '../../../resolver/rule.ts';
import type { Issue } from '../../../vocabulary/error.ts';
import { STATEMENT_FOLLOWS } from '../../../vocabulary/import/issue.ts';
import { issue } from '../../rows/cells.ts';
import { physicalLines, type TextFile } from './physical-lines.ts';

export const SERVER_FORMATS = [
  'apache',
  'nginx',
  'netlify',
  'vercel',
  'next',
  'squarespace',
  'firebase',
  'iis',
] as const;
export type ServerFormat = (typeof SERVER_FORMATS)[number];

/** The website of the import and the name of the file, which decide how statements are read. */
export interface ServerContext extends MatchOptions {
  /** the hostnames whose rules answer, wildcards excluded */
  hosts: readonly string[];
  ownHosts: { has(host: string): boolean };
  ruleHosts: { has(host: string): boolean };
  /** '' if the client sent none */
  fileName: string;
}

/** A statement of a file, and what it stands for. A statement may be part of a line, or several lines. */
export interface Statement {
  /** physical line where it begins; the first line of the file is 1 */
  line: number;
  /** as in the file, on one line, at most 2,048 characters */
  text: string;
  found: Finding;
}

/** Yields the statements of a file in batches. Calls `onRead` with the bytes of the file read so far. */
export type StatementReader = (
  file: TextFile,
  context: ServerContext,
  onRead?: (bytes: number) => void,
) => AsyncGenerator<Statement[]>;

export type Finding = FoundRule | Issue | Ignored;

/** A directive that is not a redirect: counted by its name. */
export interface Ignored {
  ignored: string;
}

export interface FoundRule {
  source: RuleSource;
  /** with references to groups if the source is a pattern; null for a status without a target */
  target: string | null;
  statusCode: number;
  /** what the server does with the query of the request; undefined if its documentation does not say */
  query: 'pass' | 'drop' | 'exact' | undefined;
  ignoresCase: boolean;
  /** the server does not use the rule, which becomes a draft */
  isDisabled?: boolean;
  /** the target had the host of the request, which is removed with its scheme */
  hasOwnHost?: boolean;
  conversion?: 'CONVERTED_TO_PATTERN' | 'PATTERN_ANCHORED' | undefined;
  /** the server compares the whole query, but a rule here requires pairs and allows others */
  isQueryLoosened?: boolean;
  /** the server tries all statements of a lower phase first, whatever their lines */
  phase: number;
}

/**
 * `slash`: whether the server compares the final slash of the path. `orPattern`: the pattern of both spellings, for a
 * website that compares the slash.
 */
export type RuleSource =
  { kind: 'path'; path: string; slash: 'exact' | 'ignore'; orPattern?: string } | { kind: 'pattern'; pattern: string };

export function isIgnored(found: Finding): found is Ignored {
  return 'ignored' in found;
}

/** A statement that a redirect here cannot express. Says what to do, unless the reason does. */
export function inexact(reason: string): Issue {
  const message = reason.includes(';') ? reason : `${reason}; keep this rule on the server`;
  return issue('row', 'CONDITION_NOT_SUPPORTED', message);
}

export function malformed(reason: string): Issue {
  return issue('row', 'MALFORMED_ROW', reason);
}

const MAX_TEXT = 2_048;

export function statementText(text: string): string {
  const line = text
    .slice(0, MAX_TEXT * 2)
    .trim()
    .replace(/\s*[\r\n]\s*/g, ' ');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

const MAX_QUOTED = 300;

export function quoting(message: string, text: string): string {
  const printable = text.replace(/[\u0000-\u001f\u007f]/g, ' ');
  const shown = printable.length > MAX_QUOTED ? `${printable.slice(0, MAX_QUOTED)}…` : printable;
  return message + STATEMENT_FOLLOWS + shown;
}

/** Reads files with one statement in each line. `read` returns undefined for a blank line or a comment. */
export const lineReader = (read: (text: string, context: ServerContext) => Finding | undefined): StatementReader =>
  async function* (file, context, onRead) {
    for await (const lines of physicalLines(file, onRead)) {
      yield lines.flatMap(({ line, text, problem }) => {
        const found = read(text.trim(), context);
        if (found === undefined) return [];
        return [{ line, text: statementText(text), found: problem === undefined ? found : malformed(problem) }];
      });
    }
  };
