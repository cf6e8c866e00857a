/** Redirect, RedirectMatch, RedirectPermanent and RedirectTemp of mod_alias. */
import { isIssue } from '../../../../vocabulary/error.ts';
import { escapeRegex } from '../../../../resolver/patterns/pattern-syntax.ts';
import { argumentsOf } from './apache-lines.ts';
import { searchedPattern } from '../search-pattern.ts';
import { type Finding, type FoundRule, inexact, malformed } from '../statement.ts';
import { dollarParts, writeWithWhole } from '../target-parts.ts';

const NAMES: Record<string, number> = { permanent: 301, temp: 302, seeother: 303, gone: 410 };

/** mod_alias acts after mod_rewrite. */
const PHASE = 1;

export function readAlias(directive: string, rest: string): Finding {
  const words = argumentsOf(rest).map((word) => word.replace(/\\([\\"'])/g, '$1'));
  const fixed = { redirectpermanent: 301, redirecttemp: 302 }[directive];
  const first = words[0]?.toLowerCase() ?? '';
  const named = fixed ?? NAMES[first] ?? (/^\d{3}$/.test(first) ? Number(first) : undefined);
  const [from, to] = fixed === undefined && named !== undefined ? words.slice(1) : words;
  const statusCode = named ?? 302;
  if (from === undefined) return malformed('the path is missing; write Redirect 301 /old /new');
  if (statusCode < 300 || (statusCode > 399 && statusCode !== 410 && statusCode !== 451))
    return inexact(`a ${statusCode} is not a redirect; remove the line`);
  if (statusCode > 399 && to !== undefined) return malformed(`a ${statusCode} has no target`);
  if (statusCode < 400 && to === undefined) return malformed('the target is missing; write it after the path');
  const target = to ?? null;
  const query = target?.includes('?') === true ? 'drop' : 'pass';
  const base = { statusCode, query, ignoresCase: false, phase: PHASE } as const;
  return directive === 'redirectmatch' ? matchRule(from, target, base) : prefixRule(from, target, base);
}

type Base = Pick<FoundRule, 'statusCode' | 'query' | 'ignoresCase' | 'phase'>;

function matchRule(from: string, target: string | null, base: Base): Finding {
  const searched = searchedPattern(from, false);
  if (isIssue(searched)) return searched;
  const { conversion } = searched;
  const parts = target === null ? [] : dollarParts(target);
  if (parts.some((part) => typeof part !== 'string' && part.group === 0))
    return inexact('$0 is the whole match, which cannot be referred to; put the expression in parentheses');
  const written = writeWithWhole(parts, searched);
  return { ...base, ...written, ...(target === null && { target }), conversion };
}

/** A Redirect is of a path and everything below it, and appends the rest. */
function prefixRule(from: string, target: string | null, base: Base): Finding {
  if (!from.startsWith('/')) return malformed('the path has no leading slash; write /path');
  if (/%[0-9A-Fa-f]{2}/.test(from))
    return inexact('Apache compares decoded paths, so an escape such as %20 never matches; write the character itself');
  const escaped = escapeRegex(from.replace(/[?#]/g, encodeURIComponent));
  const isHost = target !== null && /^https?:\/\/[^/?#]+$/i.test(target);
  const pattern = from.endsWith('/') ? `^${escaped}(.*)$` : `^${escaped}${isHost ? '(?:/(.*))?' : '(/.*)?'}$`;
  const text = target === null ? null : `${(isHost ? `${target}/` : target).replaceAll('$', '$$$$')}$1`;
  return { ...base, source: { kind: 'pattern', pattern }, target: text, conversion: 'CONVERTED_TO_PATTERN' };
}
