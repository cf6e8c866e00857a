/**
 * Finds statements that an earlier one answers in the server, but which would win here: a server takes the first match,
 * and Detour a path before a pattern, and the pattern with the longest fixed beginning. Compares paths with each other and
 * with patterns. Of two patterns, it knows only if the earlier one matches every path with a beginning, such as
 * `^/blog/(.*)$`; a notice names the others, which may be in another order.
 */
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import { canonicalPath } from '../../../resolver/spelling/canonical-path.ts';
import { foldPath } from '../../../resolver/spelling/case-fold.ts';
import type { PatternForm } from '../../../resolver/patterns/pattern-form.ts';
import { comparePrecedence } from '../../../resolver/patterns/pattern-layer.ts';
import { matchForm, mayMatch, storedPatternForm } from '../../../resolver/patterns/pattern.ts';
import { slashTwin } from '../../../resolver/precedence.ts';
import { ruleKey } from '../../../resolver/rule.ts';
import { invalid, type Issue } from '../../../vocabulary/error.ts';
import { issue } from '../../rows/cells.ts';
import type { RowNotices } from '../../rows/notices.ts';
import { escapeRegex } from '../../../resolver/patterns/pattern-syntax.ts';
import type { FoundRule, RuleSource, ServerContext } from './statement.ts';

/** The place of a statement: the phase in which its server tries it, its number in the file, and its line. */
export interface Place {
  phase: number;
  number: number;
  line: number;
}

interface PlacedPattern {
  place: Place;
  text: string;
  form: PatternForm;
  /** the text that every match begins with, folded */
  prefix: string;
  prefixLength: number;
}

/** Lines that notices name one by one. */
const MAX_NAMED_LINES = 100;
const MAX_PATTERNS = 10_000;
/** Comparisons of one file, each up to a microsecond: under a minute. */
const MAX_COMPARISONS = 50_000_000;
const TOO_MANY = `a website has at most ${MAX_PATTERNS.toLocaleString('en')} patterns`;
const TOO_COMPLEX = 'the file has too many patterns and paths to compare their order; split it into several files';

/** The patterns of a file, each with the place of its first statement. */
function createPlacedPatterns() {
  const patterns = new Map<string, PlacedPattern>();
  const byPrefix = new Map<string, PlacedPattern[]>();
  const lengths = new Set<number>();
  const slice = createTimeSlice();
  let comparisons = 0;
  return {
    find: (text: string) => patterns.get(text),
    isFull: () => patterns.size >= MAX_PATTERNS,
    /** More than MAX_PATTERNS patterns are omitted. */
    add(text: string, place: Place): void {
      const known = patterns.get(text);
      if (known) {
        if (isEarlier(place, known.place)) known.place = place;
        return;
      }
      const form = patterns.size < MAX_PATTERNS ? storedPatternForm(text) : undefined;
      if (!form) return;
      const prefix = foldPath(form.prefix);
      const pattern = { place, text, form, prefix, prefixLength: prefix.length };
      patterns.set(text, pattern);
      lengths.add(prefix.length);
      const group = byPrefix.get(prefix);
      if (group) group.push(pattern);
      else byPrefix.set(prefix, [pattern]);
    },
    /**
     * Returns a pattern before `place` whose beginning the folded text has, and which passes the test. Throws
     * VALIDATION_ERROR if the comparisons of the file are endless.
     */
    async findEarlier(folded: string, place: Place, test: (pattern: PlacedPattern) => boolean) {
      for (const length of lengths) {
        if (length > folded.length) continue;
        for (const pattern of byPrefix.get(folded.slice(0, length)) ?? []) {
          if (++comparisons > MAX_COMPARISONS) throw invalid('file', TOO_COMPLEX);
          if (slice.isOver()) await slice.yield();
          if (isEarlier(pattern.place, place) && test(pattern)) return pattern;
        }
      }
      return undefined;
    },
  };
}

interface OrderOptions extends Pick<ServerContext, 'caseSensitive'> {
  /** a pattern is compared with path and query, so only one with an open end matches a path with a query */
  comparesQuery?: boolean;
  /** a repeated pattern is not reported here */
  allowsRepeats?: boolean;
}

/** Counts the patterns that win here over an earlier one, which may match some of their paths, by their lines. */
export function createStatementOrder(
  { caseSensitive, comparesQuery = false, allowsRepeats = false }: OrderOptions,
  notices: RowNotices,
) {
  let unknown = 0;
  const onUnknown = (line: number): void =>
    notices.count('ORDER_DIFFERS', ++unknown <= MAX_NAMED_LINES ? `line ${line}` : 'further lines', line);
  // 130 MB for a million paths.
  const paths = new Map<string, Place>();
  const patterns = createPlacedPatterns();

  function firstMatch(path: string, place: Place, hasQuery: boolean): Promise<PlacedPattern | undefined> {
    const canonical = canonicalPath(path);
    const folded = foldPath(canonical);
    const matches = ({ form, text }: PlacedPattern): boolean =>
      (!hasQuery || !comparesQuery || REST.test(text)) &&
      mayMatch(form, folded) &&
      matchForm(form, canonical, caseSensitive, false) !== undefined;
    return patterns.findEarlier(folded, place, matches);
  }

  async function checkPath({ path, slash }: RuleSource & { kind: 'path' }, place: Place): Promise<Issue | undefined> {
    const [bare = path] = path.split('?');
    for (const each of path === bare ? [path] : [path, bare]) {
      const first = paths.get(keyOf(each, slash));
      if (first && isEarlier(first, place))
        return outOfOrder(`line ${first.line} has the same path and is used first; remove this line`);
    }
    const twin = slash === 'ignore' ? slashTwin(bare) : undefined;
    const hasQuery = path !== bare;
    const first =
      (await firstMatch(bare, place, hasQuery)) ??
      (twin === undefined ? undefined : await firstMatch(twin, place, hasQuery));
    if (!first) return undefined;
    const { line } = first.place;
    return outOfOrder(`line ${line} also matches this path and is used first; move this line above it, or remove it`);
  }

  async function checkPattern(text: string, place: Place): Promise<Issue | undefined> {
    const own = patterns.find(text);
    if (!own) return patterns.isFull() ? issue('old_path', 'TOO_MANY_PATTERNS', TOO_MANY) : undefined;
    if (isEarlier(own.place, place)) return allowsRepeats ? undefined : repeated(own.place.line);
    const wins = (other: PlacedPattern): boolean => comparePrecedence(own, other) < 0;
    const hides = (other: PlacedPattern): boolean => wins(other) && matchesAll(other, own, caseSensitive);
    const first = await patterns.findEarlier(own.prefix, place, hides);
    if (first) {
      const { line } = first.place;
      return outOfOrder(`line ${line} matches all paths of this line and is used first; remove this line`);
    }
    if (await patterns.findEarlier(own.prefix, place, wins)) onUnknown(place.line);
    return undefined;
  }

  return {
    /** Adds a rule of the file, in the first pass. */
    add({ source }: Pick<FoundRule, 'source'>, place: Place): void {
      if (source.kind === 'pattern') return patterns.add(source.pattern, place);
      const key = keyOf(source.path, source.slash);
      const known = paths.get(key);
      if (!known || isEarlier(place, known)) paths.set(key, place);
    },
    /** Returns why the rule must not be imported, in the second pass. */
    check: ({ source }: Pick<FoundRule, 'source'>, place: Place): Promise<Issue | undefined> =>
      source.kind === 'pattern' ? checkPattern(source.pattern, place) : checkPath(source, place),
  };
}

function isEarlier(one: Place, other: Place): boolean {
  return one.phase === other.phase ? one.number < other.number : one.phase < other.phase;
}

/** The end of a pattern that matches any rest, or any rest after a slash. */
const REST = /(?:\(?\.\*\)?|\((?:\?:)?\/\(?\.\*\)?\)\?)\$?$/;

/** True if the earlier pattern is a fixed beginning and any rest, and the other one has this beginning. */
function matchesAll(earlier: PlacedPattern, other: PlacedPattern, caseSensitive: boolean): boolean {
  const [rest = ''] = REST.exec(earlier.text) ?? [];
  const { prefix } = earlier.form;
  if (rest === '' || earlier.text !== `^${escapeRegex(prefix)}${rest}`) return false;
  const beginning = rest.includes('/') ? `${prefix}/` : prefix;
  return caseSensitive ? other.form.prefix.startsWith(beginning) : other.prefix.startsWith(foldPath(beginning));
}

/** A server that ignores the final slash has one rule for both spellings. */
function keyOf(path: string, slash: 'exact' | 'ignore'): string {
  const key = ruleKey(path, false);
  if (slash === 'exact' || key === '/') return key;
  return key.replace(/\/(?=\?|$)/, '');
}

function repeated(line: number): Issue {
  return outOfOrder(`line ${line} has the same pattern and is used first; remove this line`);
}

function outOfOrder(message: string): Issue {
  return issue('row', 'ORDER_CONFLICT', message);
}
