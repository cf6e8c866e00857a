/** RewriteRules with the flag R or G, and the conditions before them as far as they are exact here. */
import { isIssue, type Issue } from '../../../../vocabulary/error.ts';
import { type Condition, type Conditions, isOwnQueryRule, PASSED, readConditions } from './apache-conditions.ts';
import { searchedPattern, type SearchedPattern } from '../search-pattern.ts';
import { addressParts } from '../../../../rules/own-target.ts';
import { appendPairs } from '../../../rows/source.ts';
import { type Finding, inexact, type RuleSource, type ServerContext } from '../statement.ts';
import { type TargetPart, WHOLE, writeWithWhole } from '../target-parts.ts';

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
const UNSUPPORTED = /^(?:C|chain|S|skip|N|next|B|BNP)(?:=|$)/i;

export function readRewriteRule(rule: RewriteRule, context: ServerContext): Finding {
  const statusCode = statusOf(rule, context);
  if (statusCode === undefined || isOwnQueryRule(rule.conditions)) return { ignored: 'RewriteRule' };
  if (isIssue(statusCode)) return statusCode;
  const unsupported = rule.flags.find((flag) => UNSUPPORTED.test(flag));
  if (unsupported !== undefined) return inexact(`the flag ${unsupported} cannot be imported`);
  if (rule.pattern.startsWith('!')) return inexact('a negated expression cannot be imported');
  const conditions = readConditions(rule.conditions, context);
  if (isIssue(conditions)) return conditions;
  const searched = sourceOf(rule, conditions.path);
  if (isIssue(searched)) return searched;
  const read =
    statusCode > 399
      ? { ...writeWithWhole([], searched), target: null, query: 'pass' as const, hasOwnHost: false }
      : readTarget(rule, searched, conditions);
  if (isIssue(read)) return read;
  const source = withPairs(read.source, conditions.pairs);
  if (isIssue(source)) return source;
  const { target, query, hasOwnHost } = read;
  const ignoresCase = rule.flags.some((flag) => /^(?:NC|nocase)$/i.test(flag)) || conditions.ignoresCase;
  return {
    ...{ source, statusCode, query, phase: 0, ignoresCase, hasOwnHost },
    target: target === null || query === 'drop' ? target : appendPairs(target, conditions.pairs),
    conversion: searched.conversion,
    isQueryLoosened: conditions.isWhole,
  };
}

/** The status of a redirect; undefined if the rule is an internal rewrite. A URL of another host is a redirect. */
function statusOf({ flags, target }: RewriteRule, { ownHosts }: ServerContext): number | Issue | undefined {
  if (flags.some((flag) => /^(?:G|gone)$/i.test(flag))) return 410;
  const redirect = flags.find((flag) => /^(?:R|redirect)(?:=|$)/i.test(flag));
  if (redirect === undefined) {
    const host = addressParts(target)?.host;
    const isInternal =
      host === undefined || ownHosts.has(host) || flags.some((flag) => /^(?:[PF]|proxy|forbidden)$/i.test(flag));
    return isInternal ? undefined : 302;
  }
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

function readTarget(rule: RewriteRule, searched: SearchedPattern, { target: own, keepsQuery }: Conditions) {
  const sent = keepsQuery ? rule.target.replace(/(?:%\d)+(?=#|$)/, PASSED) : rule.target;
  const written = own === undefined ? sent : own + (/\?%\{QUERY_STRING\}$/.exec(rule.target)?.[0] ?? '');
  const { base, isRelative, flags } = rule;
  const isEscaped = !flags.some((flag) => /^(?:NE|noescape)$/i.test(flag));
  const hasFlag = (names: RegExp) => flags.some((flag) => names.test(flag));
  let text = written.replace(/^https?:\/\/%\{(?:HTTP_HOST|SERVER_NAME)\}(?=\/|%\{REQUEST_URI\})/i, '');
  const hasOwnHost = text !== written;
  const isPassed = /[?&]%\{QUERY_STRING\}(?=#|$)/.test(text);
  text = text.replace(/[?&]%\{QUERY_STRING\}(?=#|$)/, '');
  if (!/^(?:\/|https?:\/\/|%\{REQUEST_URI\})/i.test(text)) {
    if (isRelative && base === undefined)
      return inexact('a target without a leading slash needs a RewriteBase; write /path');
    text = `${(base ?? '/').replace(/\/?$/, '/')}${text}`;
  }
  const isEmptied = text.endsWith('?');
  const isDropped = text.includes('?') || hasFlag(/^(?:QSD|qsdiscard)$/i);
  const query = isDropped && !isPassed && !hasFlag(/^(?:QSA|qsappend)$/i) ? ('drop' as const) : ('pass' as const);
  if (isEmptied) text = text.slice(0, -1);
  const parts = rewriteParts(text, isEscaped, rule.conditions.length > 0);
  return isIssue(parts) ? parts : { ...writeWithWhole(parts, searched), query, hasOwnHost };
}

/** `%1` is a group of the condition, which is the source then. */
function rewriteParts(text: string, isEscaped: boolean, hasConditions: boolean): TargetPart[] | Issue {
  const parts: TargetPart[] = [];
  const TOKEN = /\\([^])|\$(\d)|%(\d)|%\{(\w+(?::[\w-]+)?)\}|([$%]\{)|([^\\$%]+|[^])/g;
  for (const [, literal, dollar, percent, variable, open, plain = ''] of text.matchAll(TOKEN)) {
    if (variable === 'REQUEST_URI') parts.push(WHOLE);
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

function withPairs(source: RuleSource, pairs: readonly string[]): RuleSource | Issue {
  if (pairs.length === 0) return source;
  if (source.kind === 'pattern') return inexact('a pattern does not see the query; write a rule for each path');
  return { kind: 'path', path: `${source.path}?${pairs.join('&')}`, slash: source.slash };
}
