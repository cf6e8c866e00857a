/**
 * `vercel.json`, the redirects of `next.config` as JSON, and Vercel's bulk redirects: a list of `source`, `destination`,
 * `permanent` or `statusCode`, or an object with the member `redirects`. The first entry that matches answers.
 */
import { isIssue, type Issue } from '../../../vocabulary/error.ts';
import { jsonEntries } from './json-entries.ts';
import { appendPairs } from '../../rows/source.ts';
import { pathPattern } from './path-pattern.ts';
import { plainPath } from './search-pattern.ts';
import { type Finding, inexact, malformed, type Statement, type StatementReader, statementText } from './statement.ts';

const jsonReader = (ignoresCase: boolean): StatementReader =>
  async function* (file, _context, onRead) {
    let line = 1;
    for await (const parts of jsonEntries(file, onRead)) {
      yield parts.map((part): Statement => {
        if ('member' in part) return { line, text: part.member, found: { ignored: part.member } };
        line = part.line;
        return { line, text: statementText(part.text), found: readEntry(part.entry, ignoresCase) };
      });
    }
  };

/** Vercel compares case, Next.js does not. */
export const readVercel = jsonReader(false);
export const readNext = jsonReader(true);

const KNOWN = new Set(
  'source destination permanent statusCode basePath locale has missing caseSensitive query'.split(' '),
);

function readEntry(entry: unknown, ignoresCase: boolean): Finding {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return malformed('the entry is not an object; write {"source": ..., "destination": ...}');
  const fields = new Map<string, unknown>(Object.entries(entry));
  if (fields.size === 1 && fields.has('//')) return { ignored: '//' };
  const unknown = fields.keys().find((field) => !KNOWN.has(field));
  if (unknown !== undefined) return inexact(`the field "${unknown}" cannot be imported; remove it`);
  const source = fields.get('source');
  const destination = fields.get('destination');
  if (typeof source !== 'string' || !source.startsWith('/'))
    return malformed('"source" is not a path; write one such as "/old"');
  if (typeof destination !== 'string' || destination === '') return malformed('"destination" is missing; add it');
  const statusCode = statusOf(fields, ignoresCase);
  if (isIssue(statusCode)) return statusCode;
  const pairs = pairsOf(fields.get('has'));
  if (isIssue(pairs)) return pairs;
  if (fields.get('missing') !== undefined) return inexact('"missing" cannot be imported');
  if (fields.get('basePath') === true || fields.get('locale') === true)
    return malformed('"basePath" and "locale" must be false or absent');
  // The lists of bulk redirects have paths only.
  const isBulk = fields.has('query') || fields.has('caseSensitive');
  const read = isBulk ? { ...plainPath(source), target: destination } : pathPattern(source, destination);
  if (isIssue(read)) return read;
  const isPattern = read.source.kind === 'pattern';
  if (pairs.length > 0 && isPattern) return inexact('a pattern does not see the query; write an entry for each path');
  return {
    source:
      read.source.kind === 'path' && pairs.length > 0
        ? { ...read.source, path: `${read.source.path}?${pairs.join('&')}` }
        : read.source,
    target: appendPairs(read.target, pairs),
    statusCode,
    query: fields.get('query') === false || (isBulk && !fields.has('query')) ? 'drop' : 'pass',
    ignoresCase: isBulk ? fields.get('caseSensitive') !== true : ignoresCase,
    conversion: isPattern ? 'CONVERTED_TO_PATTERN' : undefined,
    phase: 0,
  };
}

/** `permanent` is 308 or 307; without it, 308 for Vercel, and an error of Next.js that has no default. */
function statusOf(fields: ReadonlyMap<string, unknown>, isNext: boolean): number | Issue {
  const [code, permanent] = [fields.get('statusCode'), fields.get('permanent')];
  if (code !== undefined && (typeof code !== 'number' || code < 300 || code > 399))
    return malformed(`"statusCode" is ${JSON.stringify(code)}; write one such as 308`);
  if (permanent !== undefined && typeof permanent !== 'boolean')
    return malformed('"permanent" is neither true nor false; write one of them');
  if (typeof code === 'number') return code;
  if (isNext && permanent === undefined) return malformed('"permanent" or "statusCode" is missing; add one of them');
  return permanent === false ? 307 : 308;
}

/** Conditions on the query with a value are required pairs here; others have no equivalent. */
function pairsOf(has: unknown): string[] | Issue {
  if (has === undefined) return [];
  if (!Array.isArray(has)) return malformed('"has" is not a list; write [{...}]');
  const pairs: string[] = [];
  for (const each of has as unknown[]) {
    const { type, key, value } = (each ?? {}) as { type?: unknown; key?: unknown; value?: unknown };
    const isPlain = typeof value === 'string' && /^[\w.~%+-]+$/.test(value) && !/[.+]/.test(value);
    if (type !== 'query' || typeof key !== 'string' || !isPlain)
      return inexact('a "has" cannot be imported unless it is a query with a plain value');
    pairs.push(`${encodeURIComponent(key)}=${value}`);
  }
  return pairs;
}
