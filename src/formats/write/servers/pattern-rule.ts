/**
 * Converts patterns for servers: only the part of RE2 that PCRE reads in the same way, so that no pattern changes its
 * meaning. Groups lose their names, which would become variables of the server.
 */
import { parseLocation } from '../../../resolver/location.ts';
import { foldPath } from '../../../resolver/spelling/case-fold.ts';
import { storedPatternForm } from '../../../resolver/patterns/pattern.ts';
import { escapeRegex, type Token, tokenize } from '../../../resolver/patterns/pattern-syntax.ts';
import { targetParts } from '../../../resolver/target.ts';
import { ownNames } from './passed-query.ts';
import type { Inexpressible, PatternServerRule, ServerSite, TargetedRule } from './server-format.ts';

/** Converts a pattern, or returns the reason why the dialect cannot express it. */
export function patternRule(rule: TargetedRule, site: ServerSite, dialect: string): PatternServerRule | Inexpressible {
  const { website } = site;
  const form = storedPatternForm(rule.oldPath);
  if (!form) return { reason: 'the pattern is no longer valid' };
  const tokens = tokenize(website.caseSensitive ? form.exact : form.folded);
  if ('reason' in tokens) return tokens;
  const inner = withoutAnchors(tokens);
  const reason = inner.map((token, at) => tokenReason(token, inner, at)).find((found) => found !== undefined);
  if (reason !== undefined) return { reason };
  if (dialect === 'pcre' && isNested(inner)) {
    return { reason: 'a repetition within a repetition can block a backtracking engine' };
  }
  const { host } = parseLocation(rule.newPath ?? '');
  if (host !== undefined && site.ownHosts.has(host)) {
    return { reason: 'its target is on a host of the website, so it might redirect to the requested URL' };
  }
  const names: string[] = [];
  const expression = inner.map((token) => writeToken(token, names)).join('');
  const target = rule.newPath === null ? null : partsOf(rule.newPath, names);
  if (target && 'reason' in target) return target;
  const own = website.query === 'pass' ? namesOf(target) : [];
  if ('reason' in own) return own;
  const text = inner.some((token) => token.kind === 'or') ? `(?:${expression})` : expression;
  return {
    kind: 'pattern',
    statusCode: rule.statusCode,
    expression: text,
    groups: names.length,
    target,
    ownNames: own,
  };
}

function withoutAnchors(tokens: Token[]): Token[] {
  const start = tokens[0]?.text === '^' ? 1 : 0;
  const last = tokens.at(-1);
  return tokens.slice(start, last?.kind === 'anchor' && last.text === '$' ? -1 : undefined);
}

const CLASS = /^(?:\\[dDwW]|\[\^?(?:\\[dDwW\-\]\\.^/$*+?(){}|]|[^\\[\]`"\s])+\])$/;

/** The reason why a token could mean something else to the server, or end its quoted argument. */
function tokenReason(token: Token, tokens: Token[], at: number): string | undefined {
  const { kind, text } = token;
  const next = tokens[at + 1];
  switch (kind) {
    case 'literal':
      return /^[\x21-\x7e]$/.test(text) && !/["`]/.test(text) ? undefined : `the character ${JSON.stringify(text)}`;
    case 'class':
      return CLASS.test(text) ? undefined : `the class ${text} may have another meaning there`;
    case 'anchor':
    case 'flags':
      return `${text} may have another meaning there`;
    case 'open':
      return /^\((?:\?:|\?P?<\w+>)?$/.test(text) ? undefined : `${text} may have another meaning there`;
    case 'close':
      return next?.kind === 'repeat' && next.text !== '?' && tokens[openOf(tokens, at)]?.text !== '(?:'
        ? 'a repeated capturing group may capture another text there'
        : undefined;
    case 'repeat':
      return next?.kind === 'repeat' && next.text !== '?'
        ? `${text}${next.text} may have another meaning there`
        : undefined;
    case 'or':
    case 'any':
      return undefined;
  }
}

function openOf(tokens: Token[], close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    const kind = tokens[at]?.kind;
    depth += kind === 'close' ? 1 : kind === 'open' ? -1 : 0;
    if (depth === 0) return at;
  }
  return 0;
}

/** True if an unbounded repetition is inside another repetition. */
function isNested(tokens: Token[]): boolean {
  const isUnbounded = (token: Token | undefined): boolean => token?.kind === 'repeat' && /^[*+]|,\}$/.test(token.text);
  return tokens.some((token, close) => {
    if (token.kind !== 'close' || tokens[close + 1]?.kind !== 'repeat' || tokens[close + 1]?.text === '?') return false;
    return tokens.slice(openOf(tokens, close), close).some(isUnbounded);
  });
}

/** Escapes literals, and replaces named groups by numbered ones. */
function writeToken(token: Token, names: string[]): string {
  if (token.kind === 'literal') return escapeRegex(token.text);
  if (token.kind !== 'open' || token.text === '(?:') return token.text;
  names.push(/<(\w+)>/.exec(token.text)?.[1] ?? '');
  return '(';
}

/** Writes the parts of a target in a server's notation; null becomes ''. */
export function joinParts(
  target: PatternServerRule['target'],
  writeGroup: (group: number) => string,
  writeText: (text: string) => string,
): string {
  return (target ?? []).map((part) => (typeof part === 'number' ? writeGroup(part) : writeText(part))).join('');
}

/** The parts of a target: text as in a Location, and numbers of groups. */
function partsOf(newPath: string, names: string[]): (string | number)[] | Inexpressible {
  if (newPath.includes('#')) return { reason: 'its target has a fragment, which may be captured text' };
  return targetParts(newPath)
    .filter((part) => part !== '')
    .map((part) => {
      if (typeof part === 'string') return part.replace(/[^\x21-\x7e]+/gu, (text) => encodeURIComponent(text));
      return typeof part.group === 'number' ? part.group : names.indexOf(part.group) + 1;
    });
}

/** The names in the query of a target. A zero byte stands for the text of a group. */
function namesOf(target: PatternServerRule['target']): string[] | Inexpressible {
  const own = ownNames(joinParts(target, () => '\0', String));
  const isCaptured = !('reason' in own) && own.some((name) => name.includes('%00'));
  return isCaptured ? { reason: 'a parameter of its target has a captured name' } : own;
}

export function rankPattern(rule: TargetedRule) {
  const prefix = foldPath(storedPatternForm(rule.oldPath)?.prefix ?? '');
  return { rule, text: rule.key, prefixLength: prefix.length };
}
