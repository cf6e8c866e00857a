/** Rules of IIS's URL Rewrite module: their expressions, conditions and actions as far as a redirect here has them. */
import { escapeRegex } from '../../../../resolver/patterns/pattern-syntax.ts';
import { isIssue, type Issue } from '../../../../vocabulary/error.ts';
import { appendPairs } from '../../../rows/source.ts';
import { readConditions } from '../apache/apache-conditions.ts';
import { plainPath, searchedPattern, type SearchedPattern } from '../search-pattern.ts';
import { type Finding, type FoundRule, type Ignored, inexact, malformed, type ServerContext } from '../statement.ts';
import { type TargetPart, WHOLE, writeWithWhole } from '../target-parts.ts';
import type { Attributes } from './xml-tags.ts';

export interface Element {
  line: number;
  name: string;
  attributes: Attributes;
  children: Element[];
  text: string;
}

export const isTrue = (value: string | undefined, otherwise: boolean): boolean =>
  value === undefined ? otherwise : value.toLowerCase() === 'true';

const STATUSES = new Map(
  Object.entries({ permanent: 301, found: 302, seeother: 303, temporary: 307, permredirect: 308 }),
);
/** The status by the name that IIS gives it, or by its number. */
export const statusNamed = (name: string): number | undefined =>
  STATUSES.get(name.toLowerCase()) ?? STATUSES.values().find((status) => String(status) === name);

export interface Action {
  statusCode: number;
  /** '' for a status without a target */
  url: string;
  appendsQuery: boolean;
}

/** The action of a rule that redirects, or that says that a page is gone. */
export function readAction(rule: Element): Action | Issue | Ignored {
  const action = rule.children.find(({ name }) => name === 'action')?.attributes;
  const type = action?.get('type') ?? 'None';
  const appendsQuery = isTrue(action?.get('appendQueryString'), true);
  const custom = Number(action?.get('statusCode'));
  if (type === 'CustomResponse' && (custom === 410 || custom === 451))
    return { statusCode: custom, url: '', appendsQuery };
  if (type !== 'Redirect') return { ignored: type };
  const [url, name] = [action?.get('url') ?? '', action?.get('redirectType') ?? 'Permanent'];
  const statusCode = statusNamed(name);
  if (url === '') return malformed('the action has no url; add it');
  return statusCode === undefined
    ? malformed(`redirectType is "${name}"; write one such as Found`)
    : { statusCode, url, appendsQuery };
}

export function conditionsOf(rule: Element): Element[] {
  return rule.children.filter(({ name }) => name === 'conditions').flatMap(({ children }) => children);
}

export function readRule(rule: Element, action: Action, context: ServerContext, phase: number): Finding {
  const match = rule.children.find(({ name }) => name === 'match')?.attributes;
  const groups = rule.children.find(({ name }) => name === 'conditions')?.attributes;
  const added = conditionsOf(rule);
  if (isTrue(match?.get('negate'), false)) return inexact('a negated match cannot be imported');
  if (groups?.get('logicalGrouping') === 'MatchAny' && added.length > 1)
    return inexact('conditions of which one must match cannot be imported; write a rule for each');
  const conditions = readConditions(added.map(asCondition), context);
  if (isIssue(conditions)) return conditions;
  const url = match?.get('url') ?? '.*';
  const searched = conditions.path ?? sourceOf(url, rule.attributes.get('patternSyntax') ?? 'ECMAScript');
  if (isIssue(searched)) return searched;
  if (conditions.path && !ANY.test(url)) return inexact('the conditions and the match both have an expression');
  const { pairs } = conditions;
  const parts = partsOf(action.url, isWhole(url));
  if (isIssue(parts)) return parts;
  const { source, target } = writeWithWhole(parts, searched);
  if (pairs.length > 0 && source.kind === 'pattern')
    return inexact('a pattern does not see the query; write a rule for each path');
  const isPass = action.appendsQuery;
  return {
    source:
      source.kind === 'path' && pairs.length > 0 ? { ...source, path: `${source.path}?${pairs.join('&')}` } : source,
    target: action.url === '' ? null : appendPairs(target, isPass ? pairs : []),
    query: action.url === '' ? undefined : isPass ? 'pass' : 'drop',
    ...{ statusCode: action.statusCode, ignoresCase: isTrue(match?.get('ignoreCase'), true), phase },
    conversion: searched.conversion,
    isQueryLoosened: pairs.length > 0,
    hasOwnHost: OWN_HOST.test(action.url),
    isDisabled: !isTrue(rule.attributes.get('enabled'), true),
  } satisfies FoundRule;
}

/** Conditions are read as those of Apache, which has the same tests. */
function asCondition({ attributes }: Element) {
  const input = attributes.get('input') ?? '';
  const known = { '{HTTP_HOST}': 'HTTP_HOST', '{SERVER_NAME}': 'HTTP_HOST', '{QUERY_STRING}': 'QUERY_STRING' };
  const paths = { '{URL}': 'REQUEST_URI', '{PATH_INFO}': 'REQUEST_URI' };
  const isPattern = (attributes.get('matchType') ?? 'Pattern') === 'Pattern';
  const name = isPattern ? new Map(Object.entries({ ...known, ...paths })).get(input.toUpperCase()) : undefined;
  const negation = isTrue(attributes.get('negate'), false) ? '!' : '';
  return {
    test: name === undefined ? input : `%{${name}}`,
    pattern: negation + (attributes.get('pattern') ?? ''),
    flags: [],
  };
}

export const ANY = /^\^?(?:\.\*|\(\.\*\)|\.\+|\(\.\+\))\$?$|^\*$/;
const isWhole = (url: string): boolean => ANY.test(url) || /^\^.*\$$/.test(url);

function sourceOf(url: string, syntax: string): SearchedPattern | Issue {
  if (syntax === 'ExactMatch') return plainPath(`/${url}`);
  if (syntax === 'ECMAScript') return searchedPattern(url, true);
  if (syntax !== 'Wildcard') return malformed(`patternSyntax is "${syntax}"; write ECMAScript, Wildcard or ExactMatch`);
  if (!url.includes('*')) return plainPath(`/${url}`);
  const source = { kind: 'pattern', pattern: `^/${url.split('*').map(escapeRegex).join('(.*)')}$` } as const;
  return { source, conversion: undefined, hasSlashInGroup: false };
}

const OWN_HOST = /^https?:\/\/\{(?:HTTP_HOST|SERVER_NAME)\}(?=\/)/i;
const REFERENCE = /\{R:(\d)\}|\{(?:URL|PATH_INFO)\}|\{((?:[^{}]|\{[^{}]*\})*)\}?/gi;

/** The parts of a target. The groups of a match are without the leading slash of the path. */
function partsOf(url: string, isWholePath: boolean): TargetPart[] | Issue {
  const text = url.replace(OWN_HOST, '').replace(/^(?!\/|https?:|\{URL|\{PATH)/i, '/');
  const parts: TargetPart[] = [];
  let end = 0;
  for (const found of text.matchAll(REFERENCE)) {
    const [reference, group, variable] = found;
    let before = text.slice(end, found.index);
    end = found.index + reference.length;
    if (variable !== undefined) return inexact(`the target has ${reference}, which cannot be imported`);
    const isPath = group === undefined || group === '0';
    if (group === '0' && (!isWholePath || !before.endsWith('/')))
      return inexact('{R:0} cannot be imported unless it is the whole path after a slash; use a group');
    if (group === '0') before = before.slice(0, -1);
    parts.push(before, isPath ? WHOLE : { group: Number(group) });
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}
