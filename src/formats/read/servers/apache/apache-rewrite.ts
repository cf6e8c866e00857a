/** RewriteRules with the flag R or G, and the conditions before them as far as they are exact here. */
import type { Issue } from '../../../../vocabulary/error.ts';
import { isIssue } from '../../../rows/cells.ts';
import { type Condition, isOwnQueryRule, readConditions } from './apache-conditions.ts';
import { searchedPattern, type SearchedPattern } from '../search-pattern.ts';
import { type Finding, inexact, type RuleSource, type ServerContext } from '../statement.ts';
import { type TargetPart, writeTarget } from '../target-parts.ts';

export type { Condition } from './apache-conditions.ts';

interface RewriteRule {
  pattern: string;
  target: string;
  flags: readonly string[];
  conditions: readonly Condition[];
  /** of RewriteBase */
  base: string | undefined;
  isRelative: boolean;
}

const NAMES: Record<string, number> = { permanent: 301, temp: 302, seeother: 303 };
/** Flags that change what follows, so that the rule alone does not say what happens. */
const UNSUPPORTED = /^(?:C|chain|S|skip|N|next)(?:=|$)/i;

export function readRewriteRule(rule: RewriteRule, context: ServerContext): Finding {
  const statusCode = statusOf(rule.flags);
  if (statusCode === undefined || isOwnQueryRule(rule.conditions)) return { ignored: 'RewriteRule' };
  if (isIssueOrNumber(statusCode)) return statusCode;
  const unsupported = rule.flags.find((flag) => UNSUPPORTED.test(flag));
  if (unsupported !== undefined) return inexact(`the flag ${unsupported} cannot be imported`);
  if (rule.pattern.startsWith('!')) return inexact('a negated expression cannot be imported');
  const conditions = readConditions(rule.conditions, context);
  if (isIssue(conditions)) return conditions;
  const searched = sourceOf(rule, conditions.path);
  if (isIssue(searched)) return searched;
  const target =
    statusCode > 399 ? { text: null, query: 'pass' as const } : readTarget(rule, searched, conditions.target);
  if (isIssue(target)) return target;
  const source = withPairs(searched.source, conditions.pairs);
  if (isIssue(source)) return source;
  const hasCase = rule.flags.some((flag) => /^(?:NC|nocase)$/i.test(flag)) || conditions.ignoresCase;
  return {
    ...{ source: target.source ?? source, statusCode, query: target.query, phase: 0, ignoresCase: hasCase },
    target: withOwnPairs(target.text, target.query, conditions.pairs),
    conversion: searched.isAnchored ? 'PATTERN_ANCHORED' : undefined,
    isQueryLoosened: conditions.isWhole,
  };
}

const isIssueOrNumber = (value: number | Issue): value is Issue => typeof value !== 'number';

/** The status of a redirect; undefined if the rule is an internal rewrite. */
function statusOf(flags: readonly string[]): number | Issue | undefined {
  if (flags.some((flag) => /^(?:G|gone)$/i.test(flag))) return 410;
  const redirect = flags.find((flag) => /^(?:R|redirect)(?:=|$)/i.test(flag));
  if (redirect === undefined) return undefined;
  const value = redirect.split('=')[1]?.toLowerCase() ?? '302';
  const status = NAMES[value] ?? Number(value);
  if ((status >= 300 && status < 400) || status === 410 || status === 451) return status;
  return inexact(`a ${value} is not a redirect; remove the line`);
}

const ANY_PATH = /^\^?(?:\$|\.\*\$?|\(\.\*\)\$?|\.?)?$/;

/** A rule of any path has the path of its conditions. */
function sourceOf({ pattern, isRelative }: RewriteRule, path: SearchedPattern | undefined): SearchedPattern | Issue {
  if (!path) return searchedPattern(pattern, isRelative);
  if (pattern !== '^$' && ANY_PATH.test(pattern)) return path;
  return inexact('the condition and the rule both have an expression for the path; write one of them');
}

interface Target {
  text: string | null;
  query: 'pass' | 'drop';
  /** if the target contains the whole path, which a group must capture */
  source?: RuleSource;
}

function readTarget(rule: RewriteRule, searched: SearchedPattern, own: string | undefined): Target | Issue {
  const written = own === undefined ? rule.target : own + (/\?%\{QUERY_STRING\}$/.exec(rule.target)?.[0] ?? '');
  const { base, isRelative, flags } = rule;
  const isEscaped = !flags.some((flag) => /^(?:NE|noescape)$/i.test(flag));
  const hasFlag = (names: RegExp) => flags.some((flag) => names.test(flag));
  let text = written.replace(/^https?:\/\/%\{(?:HTTP_HOST|SERVER_NAME)\}(?=\/|%\{REQUEST_URI\})/i, '');
  const isPassed = /[?&]%\{QUERY_STRING\}$/.test(text);
  text = text.replace(/[?&]%\{QUERY_STRING\}(?=#|$)/, '');
  if (!/^(?:\/|https?:\/\/|%\{REQUEST_URI\})/i.test(text)) {
    if (isRelative && base === undefined)
      return inexact('a target without a leading slash needs a RewriteBase; write /path');
    text = `${(base ?? '/').replace(/\/?$/, '/')}${text}`;
  }
  const isEmptied = text.endsWith('?');
  const query =
    isPassed || hasFlag(/^(?:QSA|qsappend)$/i)
      ? 'pass'
      : text.includes('?') || hasFlag(/^(?:QSD|qsdiscard)$/i)
        ? 'drop'
        : 'pass';
  if (isEmptied) text = text.slice(0, -1);
  const parts = rewriteParts(text, isEscaped, rule.conditions.length > 0);
  if (isIssue(parts)) return parts;
  return assemble(parts, query, searched);
}

const WHOLE = 'REQUEST_URI';

/** `%1` is a group of the condition, which is the source then. */
function rewriteParts(text: string, isEscaped: boolean, hasConditions: boolean): (TargetPart | typeof WHOLE)[] | Issue {
  const parts: (TargetPart | typeof WHOLE)[] = [];
  const TOKEN = /\\([^])|\$(\d)|%(\d)|%\{(\w+(?::[\w-]+)?)\}|([$%]\{)|([^\\$%]+|[^])/g;
  for (const [, literal, dollar, percent, variable, open, plain = ''] of text.matchAll(TOKEN)) {
    if (variable === WHOLE) parts.push(WHOLE);
    else if (variable !== undefined || open !== undefined)
      return inexact(`the target has the variable ${variable ?? 'of a map'}`);
    else if (percent !== undefined && !hasConditions)
      return inexact(
        `%${percent} is a group of a condition, but the rule has no condition; write $1 for a group of the rule`,
      );
    else if (dollar === '0' || percent === '0') return inexact('the whole match cannot be referred to; use a group');
    else if (dollar !== undefined || percent !== undefined) parts.push({ group: Number(dollar ?? percent) });
    else {
      const written = literal ?? plain;
      if (isEscaped && written.includes('%')) return inexact('Apache escapes "%" again; add the flag NE');
      parts.push(isEscaped ? written.replaceAll('#', '%23') : written);
    }
  }
  return parts;
}

function assemble(
  parts: readonly (TargetPart | typeof WHOLE)[],
  query: Target['query'],
  { source, hasSlashInGroup }: SearchedPattern,
): Target | Issue {
  if (!parts.includes(WHOLE)) {
    const plain = parts.filter((part) => part !== WHOLE);
    return { text: writeTarget(plain, source, hasSlashInGroup), query };
  }
  if (source.kind === 'path') {
    const whole = parts.map((part) => (part === WHOLE ? source.path : part));
    return { text: writeTarget(whole, source), query };
  }
  // One more group around everything after the leading slash.
  const pattern = `^/(${source.pattern.replace(/^\^?\//, '').replace(/\$$/, '')})$`;
  const shifted = parts.flatMap((part): TargetPart[] =>
    part === WHOLE ? ['/', { group: 1 }] : [typeof part === 'string' ? part : { group: part.group + 1 }],
  );
  const wrapped = { kind: 'pattern', pattern } as const;
  return { text: writeTarget(shifted, wrapped), query, source: wrapped };
}

function withPairs(source: RuleSource, pairs: readonly string[]): RuleSource | Issue {
  if (pairs.length === 0) return source;
  if (source.kind === 'pattern') return inexact('a pattern does not see the query; write a rule for each path');
  return { kind: 'path', path: `${source.path}?${pairs.join('&')}`, slash: source.slash };
}

/** Required pairs are not passed on here, so the target gets them. */
function withOwnPairs(target: string | null, query: 'pass' | 'drop', pairs: readonly string[]): string | null {
  if (target === null || query === 'drop' || pairs.length === 0) return target;
  const [base = '', fragment] = target.split('#');
  const joined = `${base}${base.includes('?') ? '&' : '?'}${pairs.join('&')}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}
