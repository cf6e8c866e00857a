/**
 * URL mappings of Squarespace: `/from -> /to 301` in each line, with `[name]` for a segment of the path. The first line
 * that matches answers. Squarespace does not document what it does with the query and the final slash.
 */
import { isIssue } from '../../../vocabulary/error.ts';
import { convertWildcards } from '../../rows/wildcards.ts';
import { type Finding, type FoundRule, inexact, lineReader, malformed, type ServerContext } from './statement.ts';

export const readSquarespace = lineReader((text, context) =>
  text === '' || text.startsWith('#') ? undefined : readLine(text, context),
);

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
