/** Rewrite maps of IIS: paths with their targets, and the rule that redirects with them. */
import type { Issue } from '../../../../vocabulary/error.ts';
import { appendPairs } from '../../../rows/source.ts';
import { type Finding, type Ignored, inexact, malformed } from '../statement.ts';
import { type Action, ANY, conditionsOf, type Element, isTrue } from './iis-rule.ts';
import type { Attributes } from './xml-tags.ts';

/** How a rule uses a map. */
export interface MapUse extends Action {
  phase: number;
  /** before and after the value of the map in the target */
  before: string;
  after: string;
  /** the keys have a leading slash, and the query of the request if `hasQuery` */
  hasSlash: boolean;
  hasQuery: boolean;
  isDisabled: boolean;
}

/** A map with the path; `ToLower` and the like are functions. */
const INPUT =
  /\{(?!(?:ToLower|UrlEncode|UrlDecode):)([^{}:]+):(\/?)\{(REQUEST_URI|UNENCODED_URL|URL|PATH_INFO|R:[01])\}\}/i;

/** The rule cannot be imported, or is not a redirect. */
export type NoUse = Issue | Ignored;

type Found = { map: string; use: MapUse | NoUse } | undefined;

/** Returns the name of the map that a rule uses, and how; undefined if it uses none. */
export function mapUseOf(rule: Element, action: Action | NoUse, phase: number): Found {
  const conditions = conditionsOf(rule);
  const inputs = conditions.map(({ attributes }) => attributes.get('input') ?? '');
  const url = rule.children.find(({ name }) => name === 'action')?.attributes.get('url') ?? '';
  const [written, map = '', slash, variable = ''] =
    [...inputs, url].map((text) => INPUT.exec(text)).find(Boolean) ?? [];
  if (written === undefined) return undefined;
  if (!('url' in action)) return { map, use: action };
  const match = rule.children.find(({ name }) => name === 'match')?.attributes;
  const value = action.url.includes(written) ? written : (/\{C:[01]\}/.exec(action.url)?.[0] ?? '\0');
  const [before = '', after, ...others] = action.url.replace(/^https?:\/\/\{HTTP_HOST\}/i, '').split(value);
  const isPlain = after !== undefined && others.length === 0 && !/[{}]/.test(before + after);
  const isPath = !/^R:/i.test(variable);
  const pattern = conditions[0]?.attributes.get('pattern') ?? '(.+)';
  const isAny = ANY.test(match?.get('url') ?? '.*') && !isTrue(match?.get('negate'), false);
  if (!isPlain || !isAny || conditions.length > 1 || !/^\^?\(?(?:\.\+|\.\*)\)?\$?$/.test(pattern))
    return { map, use: inexact('the rule of a map has further conditions, which cannot be imported') };
  const hasQuery = /^(?:REQUEST_URI|UNENCODED_URL)$/i.test(variable);
  const isDisabled = !isTrue(rule.attributes.get('enabled'), true);
  return { map, use: { ...action, phase, before, after, hasSlash: isPath || slash === '/', hasQuery, isDisabled } };
}

/** A map with a default value redirects all other paths. */
export function mapIssue(
  name: string,
  attributes: Attributes,
  uses: ReadonlyMap<string, MapUse | NoUse>,
): Issue | undefined {
  if (attributes.get('defaultValue')) return inexact('a target for all other paths cannot be imported');
  if (uses.has(name)) return undefined;
  return inexact('no rule of this file redirects with the map; put the rule and the map into one file');
}

export function mapEntry(entry: Attributes, map: Attributes, use: MapUse): Finding {
  const [key, value] = [entry.get('key') ?? '', entry.get('value') ?? ''];
  if (key === '' || value === '') return malformed('the entry needs a key and a value; add them');
  if (key.startsWith('/') !== use.hasSlash)
    return inexact(`the rule of the map looks for paths ${use.hasSlash ? 'with' : 'without'} a leading slash`);
  const [path = '', query] = key.split('?');
  if (query !== undefined && !use.hasQuery) return inexact('the rule of the map compares the path without its query');
  const written = use.before + value + use.after;
  const target = /^(?:\/|https?:\/\/)/i.test(written) ? written : `/${written}`;
  return {
    source: {
      kind: 'path',
      path: `${use.hasSlash ? '' : '/'}${path}${query === undefined ? '' : `?${query}`}`,
      slash: 'exact',
    },
    target: appendPairs(target, use.appendsQuery && query !== undefined ? [query] : []),
    query: use.hasQuery ? (query === undefined ? 'exact' : undefined) : use.appendsQuery ? 'pass' : 'drop',
    ...{ statusCode: use.statusCode, phase: use.phase, isDisabled: use.isDisabled },
    ignoresCase: isTrue(map.get('ignoreCase'), true),
    isQueryLoosened: query !== undefined,
  };
}
