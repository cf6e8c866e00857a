/**
 * URL mappings of Squarespace: `/from -> /to 301` in each line, with `[name]` for a segment of the path. The first line
 * that matches answers. Squarespace does not document what it does with the query and the final slash.
 */
import { isIssue } from '../../../vocabulary/error.ts';
import { convertWildcards } from '../../rows/wildcards.ts';
import { physicalLines } from './physical-lines.ts';
import {
  type Finding,
  type FoundRule,
  inexact,
  malformed,
  type ServerContext,
  type StatementReader,
  statementText,
} from './statement.ts';

export const readSquarespace: StatementReader = async function* (file, context, onRead) {
  for await (const lines of physicalLines(file, onRead)) {
    yield lines.flatMap(({ line, text, problem }) => {
      const statement = text.trim();
      if (problem === undefined && (statement === '' || statement.startsWith('#'))) return [];
      const found = problem === undefined ? readLine(statement, context) : malformed(problem);
      return [{ line, text: statementText(text), found }];
    });
  }
};

const FORM = 'write a line as in "/old -> /new 301"';
const NAME = /\[[A-Za-z_]\w*\]/;

function readLine(statement: string, context: ServerContext): Finding {
  const [source = '', arrow, target = '', status = '', ...others] = statement.split(/\s+/);
  if (arrow !== '->' || others.length > 0) return malformed(`this is not a URL mapping; ${FORM}`);
  if (!source.startsWith('/')) return malformed(`the source is not a path; ${FORM}`);
  if (!/^(?:\/|https?:\/\/)/i.test(target)) return malformed('the target is neither a path nor an address; write one');
  if (!/^30[12]$/.test(status)) return malformed(`"${status}" is not a status of a URL mapping; write 301 or 302`);
  if (/[?#]/.test(source)) return inexact('Squarespace compares the path without query and fragment');
  const rule = {
    statusCode: Number(status),
    query: undefined,
    ignoresCase: false,
    phase: 0,
  } satisfies Partial<FoundRule>;
  if (!NAME.test(source)) {
    if (NAME.test(target)) return inexact('the target has a [name], and the source has none; add it to the source');
    return { ...rule, source: { kind: 'path', path: source, slash: context.trailingSlash }, target };
  }
  if (/[*:]|\[\.\.\./.test(source) || /[*:]|\$\d|\\\d/.test(target.replace(/^https?:/i, '')))
    return inexact('a "*", ":" or "$1" beside a [name] cannot be converted');
  const converted = convertWildcards(source, target);
  if (isIssue(converted)) return converted;
  return {
    ...rule,
    source: { kind: 'pattern', pattern: converted.oldPath },
    target: converted.newPath ?? null,
    conversion: 'CONVERTED_TO_PATTERN',
  };
}
