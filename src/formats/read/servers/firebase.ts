/**
 * The redirects of `firebase.json`: `source` as a glob or with `:name`, or `regex`, and `destination` and `type`. The
 * first entry that matches answers, and the query is passed on.
 */
import { isIssue, type Issue } from '../../../vocabulary/error.ts';
import { issue } from '../../rows/cells.ts';
import { globSource } from './firebase-glob.ts';
import { jsonEntries } from './json-entries.ts';
import { pathPattern } from './path-pattern.ts';
import { searchedPattern } from './search-pattern.ts';
import {
  type Finding,
  type FoundRule,
  inexact,
  malformed,
  type ServerContext,
  type Statement,
  type StatementReader,
  statementText,
} from './statement.ts';
import { type TargetPart, writeTarget } from './target-parts.ts';

export const readFirebase: StatementReader = async function* (file, context, onRead) {
  let line = 1;
  for await (const parts of jsonEntries(file, onRead, 'hosting')) {
    yield parts.map((part): Statement => {
      if ('member' in part) return { line, text: part.member, found: { ignored: part.member } };
      line = part.line;
      return { line, text: statementText(part.text), found: readEntry(part.entry, context) };
    });
  }
};

const KNOWN = new Set(['source', 'glob', 'regex', 'destination', 'type']);

function readEntry(entry: unknown, context: ServerContext): Finding {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return malformed('the entry is not an object; write {"source": ..., "destination": ...}');
  const fields = new Map<string, unknown>(Object.entries(entry));
  const unknown = fields.keys().find((field) => !KNOWN.has(field));
  if (unknown !== undefined) return inexact(`the field "${unknown}" cannot be imported; remove it`);
  const [source, regex] = [fields.get('source') ?? fields.get('glob'), fields.get('regex')];
  const [destination, type = 301] = [fields.get('destination'), fields.get('type')];
  if (typeof destination !== 'string' || !/^(?:\/|https?:\/\/)/i.test(destination))
    return malformed('"destination" is neither a path nor an address; write one');
  if (typeof type !== 'number' || !Number.isInteger(type) || type < 300 || type > 399)
    return malformed(`"type" is ${JSON.stringify(type)}; write 301 or 302`);
  const isGlob = typeof source === 'string' && source !== '' && regex === undefined;
  if (!isGlob && (source !== undefined || typeof regex !== 'string' || regex === ''))
    return malformed('the entry needs either "source" or "regex", as a text; write one of them');
  const read = isGlob ? fromGlob(source, destination, context) : fromRegex(String(regex), destination);
  if (isIssue(read)) return read;
  return { ...read, statusCode: type, query: 'pass', ignoresCase: false, phase: 0 };
}

type Converted = Pick<FoundRule, 'source' | 'target' | 'conversion'>;

/** A destination with `:name` makes the source one of path-to-regexp. */
function fromGlob(source: string, destination: string, context: ServerContext): Converted | Issue {
  const glob = source.startsWith('/') ? source : `/${source}`;
  if (/\?[^/]*=/.test(glob)) return inexact('a source is compared with the path, without a query');
  const hasNames = /[/.-]:[A-Za-z_]/.test(glob);
  const read = hasNames ? pathPattern(glob, destination) : globSource(glob, context.trailingSlash);
  if (isIssue(read)) return read;
  if (!hasNames && hasName(destination)) return inexact(NO_NAME);
  if (hasNames && !hasName(destination)) return issue('old_path', 'AMBIGUOUS_WILDCARD', UNUSED_NAME);
  const { source: found, target } = 'kind' in read ? { source: read, target: literalTarget(read, destination) } : read;
  return { source: found, target, conversion: found.kind === 'pattern' ? 'CONVERTED_TO_PATTERN' : undefined };
}

const NO_NAME = 'the destination has a :name, and the source has none; add it to the source';
const UNUSED_NAME =
  'Firebase uses the :name of a source only if the destination has one; write "*" instead, or add it to the destination';
const hasName = (destination: string): boolean => /\/:\w/.test(destination);

const literalTarget = (source: Converted['source'], destination: string): string => writeTarget([destination], source);

const GROUP = /\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\((?!\?)|\(\?P?<(\w+)>/g;

/** A regular expression is found anywhere in the path. `:1` and `:name` of the destination are its groups. */
function fromRegex(regex: string, destination: string): Converted | Issue {
  const groups = [...regex.matchAll(GROUP)].filter(([text]) => text.startsWith('('));
  const names = groups.map(([, name]) => name);
  const searched = searchedPattern(regex.replace(/(?<!\\)\(\?P?<\w+>/g, '('), false);
  if (isIssue(searched)) return searched;
  const parts: TargetPart[] = [];
  // Odd pieces are the names.
  for (const [at, piece] of destination.split(/(?<=\/):(\w+)/).entries()) {
    const group = /^\d+$/.test(piece) ? Number(piece) : names.indexOf(piece) + 1;
    if (at % 2 === 0) parts.push(piece);
    else if (group > 0 && group <= names.length) parts.push({ group });
    else return inexact(`:${piece} of the destination is not a group of the expression; add it there`);
  }
  const { source, conversion, hasSlashInGroup } = searched;
  return { source, target: writeTarget(parts, source, hasSlashInGroup), conversion };
}
