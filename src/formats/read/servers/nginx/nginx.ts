/**
 * A configuration of nginx: `return` and `rewrite` in a server or location, and maps of paths. nginx tries what is in the
 * server first, then the location that equals the path, then expressions in their order, then the longest prefix.
 */
import { isIssue, type Issue } from '../../../../vocabulary/error.ts';
import { escapeRegex } from '../../../../resolver/patterns/pattern-syntax.ts';
import { type Directive, nginxDirectives } from './nginx-tokens.ts';
import { mapEntry, type MapBlock, type MapUse, openMap } from './nginx-map.ts';
import { nginxTarget } from './nginx-target.ts';
import type { TextFile } from '../physical-lines.ts';
import { plainPath, searchedPattern, type SearchedPattern } from '../search-pattern.ts';
import {
  type Finding,
  inexact,
  malformed,
  type ServerContext,
  type StatementReader,
  statementText,
} from '../statement.ts';

interface Block {
  kind: 'server' | 'location' | 'map' | 'if' | 'ignored' | 'other';
  /** of a location: its first line */
  text?: string;
  /** of a location */
  source?: SearchedPattern | Issue;
  ignoresCase?: boolean;
  phase?: number;
  map?: MapBlock;
  /** of a server: a name of another website, if it has none of this one */
  otherName?: string | undefined;
  /** an `if` that only applies a map */
  isKnown?: boolean;
}

const MAX_BLOCKS = 100;
const FLAGS: Record<string, number> = { permanent: 301, redirect: 302 };

export const readNginx: StatementReader = async function* (file, context, onRead) {
  const uses = await mapUses(file);
  const blocks: Block[] = [];
  for await (const directives of nginxDirectives(file, onRead)) {
    yield directives.flatMap((directive) => {
      const found = readDirective(directive, blocks, { context, uses });
      return found ? [{ line: directive.line, text: statementText(inLocation(directive, blocks)), found }] : [];
    });
  }
};

/** The location has the path of a statement. */
function inLocation({ text, end }: Directive, blocks: readonly Block[]): string {
  const location = end === ';' ? blocks.findLast(({ kind }) => kind === 'location') : undefined;
  return location?.text === undefined ? text : `${location.text} ${text} }`;
}

/** The uses of maps, which come before or after them. At most 1,000. */
async function mapUses(file: TextFile): Promise<Map<string, MapUse>> {
  const uses = new Map<string, MapUse>();
  for await (const directives of nginxDirectives(file)) {
    for (const { words } of directives) {
      const [name, first = '', second = '', flag = ''] = words;
      const status = name === 'return' ? Number(first) : name === 'rewrite' ? FLAGS[flag] : undefined;
      const variable = /\$\{?(\w+)/.exec(
        second.replace(/^(?:https?|\$scheme):\/\/\$(?:host|http_host|server_name)/, ''),
      )?.[1];
      if (status === undefined || variable === undefined || uses.has(variable) || uses.size >= 1_000) continue;
      uses.set(variable, { statusCode: status, target: second, appends: name === 'rewrite' });
    }
  }
  return uses;
}

interface Known {
  context: ServerContext;
  uses: ReadonlyMap<string, MapUse>;
}

function readDirective(directive: Directive, blocks: Block[], { context, uses }: Known): Finding | undefined {
  const { words, end, problem } = directive;
  const [name = ''] = words;
  const block = blocks.at(-1);
  if (problem !== undefined) return malformed(problem);
  if (end === '}') return blocks.pop() ? undefined : malformed('no block is open here; remove the "}"');
  if (end === '{') {
    if (blocks.length >= MAX_BLOCKS) return malformed('the blocks are nested too deeply');
    const opened = { ...openBlock(words, block, uses), text: statementText(directive.text) };
    blocks.push(opened);
    if (opened.kind === 'other') return { ignored: name };
    return opened.kind === 'if' ? { ignored: 'if' } : undefined;
  }
  if (block?.kind === 'map' && block.map) return mapEntry(words, block.map);
  if (blocks.some(({ kind }) => kind === 'ignored')) return { ignored: name };
  if (name !== 'return' && name !== 'rewrite') return otherDirective(words, blocks, context);
  if (blocks.some(({ kind, isKnown }) => kind === 'if' && isKnown === true)) return { ignored: 'if' };
  if (blocks.some(({ kind }) => kind === 'if')) return inexact('it is inside an if, which limits it to some requests');
  const otherName = blocks.findLast(({ kind }) => kind === 'server')?.otherName;
  if (otherName !== undefined)
    return inexact(
      `its server_name ${otherName} is not a host of this website; import it into the website of that host`,
    );
  const location = blocks.findLast(({ kind }) => kind === 'location');
  return name === 'return' ? readReturn(words, location) : readRewrite(words, location);
}

function otherDirective([name = '', ...values]: string[], blocks: Block[], { ownHosts }: ServerContext): Finding {
  if (name !== 'server_name') return { ignored: name };
  const other = values.find((value) => /\.\w+\$?$/.test(value) && !ownHosts.has(value));
  const server = blocks.findLast(({ kind }) => kind === 'server');
  if (server && !values.some((value) => ownHosts.has(value))) server.otherName = other;
  return { ignored: other === undefined ? name : `server_name ${other}` };
}

function openBlock([name = '', ...words]: string[], parent: Block | undefined, uses: Known['uses']): Block {
  if (parent?.kind === 'ignored') return parent;
  if (name === 'http' || name === 'server') return { kind: 'server' };
  if (name === 'map') {
    const map = openMap(words, uses);
    return map ? { kind: 'map', map } : { kind: 'ignored' };
  }
  if (name === 'if') return { kind: 'if', isKnown: isMapCondition(words) };
  if (name === 'location') return openLocation(words);
  return { kind: 'other' };
}

/** `if ($new_uri)`, `if ($new_uri != "")` and the ifs of our own export apply a map. */
const isMapCondition = (words: readonly string[]): boolean =>
  /^\(\s*\$(?!request|host|http_|scheme|args|arg_|uri|query|is_args|remote|cookie)\w+\s*(?:!=\s*(?:"")?|=\s*\d{3})?\s*\)$/.test(
    words.join(' '),
  );

const PHASES: Record<string, number> = { '=': 1, '^~': 2, '~': 3, '~*': 3, '': 4 };

function openLocation(words: readonly string[]): Block {
  const [first = '', second] = words;
  const modifier = second === undefined ? (/^(?:=|\^~|~\*?)(?=\/|\^)/.exec(first)?.[0] ?? '') : first;
  const text = second ?? first.slice(modifier.length);
  const location = { kind: 'location', phase: PHASES[modifier] ?? 4 } as const;
  if (text.startsWith('@')) return { ...location, source: inexact('a named location is not one of a path') };
  const ignoresCase = modifier === '~*';
  if (modifier === '~' || ignoresCase) return { ...location, ignoresCase, source: searchedPattern(text, false) };
  if (/%[0-9A-Fa-f]{2}/.test(text))
    return { ...location, source: inexact('nginx compares decoded paths; write the character instead of its escape') };
  const path = text.replace(/[?#]/g, encodeURIComponent);
  return { ...location, source: modifier === '=' ? plainPath(path) : openPattern(`^${escapeRegex(path)}.*$`) };
}

const openPattern = (pattern: string): SearchedPattern => ({
  ...{ source: { kind: 'pattern', pattern }, conversion: 'PATTERN_ANCHORED', hasSlashInGroup: false },
});

const EVERY = openPattern('^/.*$');

function readReturn([, first = '', second]: string[], location: Block | undefined): Finding {
  const searched = location?.source ?? EVERY;
  if (isIssue(searched)) return searched;
  const isStatus = /^\d{3}$/.test(first);
  const statusCode = isStatus ? Number(first) : 302;
  const target = isStatus ? second : first;
  const common = { statusCode, phase: location?.phase ?? 0, ignoresCase: location?.ignoresCase === true };
  const { source, conversion } = searched;
  if (statusCode === 410 || statusCode === 451) return { ...common, source, target: null, query: 'pass', conversion };
  if (statusCode < 300 || statusCode > 399) return { ignored: `return ${statusCode}` };
  if (target === undefined || (!isStatus && !/^(?:https?:\/\/|\$scheme)/.test(target)))
    return malformed('the status or the target is missing; write return 301 /new');
  const read = nginxTarget(target, searched, false);
  return isIssue(read) ? read : { ...common, ...read, conversion };
}

function readRewrite([, expression = '', target = '', flag = '']: string[], location: Block | undefined): Finding {
  const isAbsolute = /^(?:https?:\/\/|\$scheme)/.test(target);
  const statusCode = FLAGS[flag] ?? (isAbsolute ? 302 : undefined);
  if (statusCode === undefined) return { ignored: 'rewrite' };
  const outer = location?.source;
  if (outer && isIssue(outer)) return outer;
  const searched = searchedPattern(expression, false);
  if (isIssue(searched)) return searched;
  const isAny = searched.source.kind === 'pattern' && searched.source.pattern === '^/.*$';
  if (outer && !isAny && !isInside(searched, outer))
    return inexact('the location and the rewrite have different paths; write the rewrite outside of the location');
  const used = outer && isAny ? outer : searched;
  const read = nginxTarget(target, used, true);
  if (isIssue(read)) return read;
  const { conversion } = used;
  return { ...read, statusCode, conversion, phase: location?.phase ?? 0, ignoresCase: /^\(\?i\)/.test(expression) };
}

/** True if the rewrite only matches paths of the location, which is a prefix. */
function isInside({ source }: SearchedPattern, { source: outer }: SearchedPattern): boolean {
  if (outer.kind === 'path') return source.kind === 'path' && source.path === outer.path;
  const prefix = /^\^((?:[\w/~-]|\\[^\w])*)\.\*\$$/.exec(outer.pattern)?.[1];
  if (prefix === undefined) return source.kind === 'pattern' && source.pattern === outer.pattern;
  const text = source.kind === 'path' ? `^${escapeRegex(source.path)}` : source.pattern;
  return text.startsWith(`^${prefix}`);
}
