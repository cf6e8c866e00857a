/** RewriteConds: those that are always true for the website, and those that a redirect here can have. */
import { isIssue, type Issue } from '../../../../vocabulary/error.ts';
import { plainPath, searchedPattern, type SearchedPattern } from '../search-pattern.ts';
import { inexact, type ServerContext } from '../statement.ts';

export interface Condition {
  test: string;
  pattern: string;
  flags: readonly string[];
}

export interface Conditions {
  /** of the condition on the path */
  path: SearchedPattern | undefined;
  ignoresCase: boolean;
  /** required pairs of the query, as name=value */
  pairs: string[];
  /** the whole query is compared */
  isWhole: boolean;
  /** of our own export: the target, in a condition that removes leading slashes */
  target: string | undefined;
  /** of our own export: the groups at the end of the target are the query that is passed on */
  keepsQuery: boolean;
}

const OWN_PATH = '%{ENV:DETOUR_PATH}';

export function readConditions(conditions: readonly Condition[], context: ServerContext): Conditions | Issue {
  const found: Conditions = {
    path: undefined,
    ignoresCase: false,
    pairs: [],
    isWhole: false,
    target: undefined,
    keepsQuery: false,
  };
  const literals = ownPaths(conditions);
  found.keepsQuery = literals.length > 0 && conditions.some(isKeptQuery);
  for (const condition of conditions) {
    const problem =
      literals.includes(condition) || (found.keepsQuery && isKeptQuery(condition))
        ? undefined
        : readCondition(condition, context, found);
    if (problem) return problem;
  }
  const [literal] = literals;
  if (literal) found.path = plainPath(literal.pattern.slice(1), literals.length > 1 ? 'ignore' : 'exact');
  found.ignoresCase ||= literals.some(isNoCase);
  return found;
}

/** The start of such a condition in our own export. The parts of the query may follow. */
const OWN_TARGET = /^\^(?:\[\/\\+\]\*)?\((?:\.\*\)|\\S\*\)(?:\$| ))/;
export const PASSED = '&%{QUERY_STRING}';

const isKeptQuery = ({ test, pattern }: Condition): boolean =>
  test === PASSED && pattern.startsWith('^(?:((?:&+[^&]+)*?)');

const isNoCase = ({ flags }: Condition): boolean => flags.some((flag) => /^(?:NC|nocase)$/i.test(flag));
const isOr = ({ flags }: Condition): boolean => flags.some((flag) => /^(?:OR|ornext)$/i.test(flag));

/** The paths that our own export compares, the two spellings of the final slash with OR. */
function ownPaths(conditions: readonly Condition[]): Condition[] {
  return conditions.filter(({ test, pattern }) => test === OWN_PATH && pattern.startsWith('='));
}

/** Our own export has a target with a fragment twice: first for requests with a query, then for those without. */
export function isOwnQueryRule(conditions: readonly Condition[]): boolean {
  const isWithQuery = conditions.some(({ test, pattern }) => test === '%{QUERY_STRING}' && pattern === '!^$');
  return isWithQuery && ownPaths(conditions).length > 0;
}

function readCondition(condition: Condition, context: ServerContext, found: Conditions): Issue | undefined {
  const { test, pattern } = condition;
  if (isOr(condition)) return inexact('conditions with OR cannot be imported; write a rule for each');
  if (test === '%{HTTP_HOST}' || test === '%{SERVER_NAME}') return readHost(condition, context);
  if (test === '%{QUERY_STRING}') return readQuery(condition, context, found);
  if (found.path && OWN_TARGET.test(pattern)) {
    const [base = '', query, passed] = test.split(' ');
    found.target = query === undefined ? base : `${base}?${query}${passed === undefined ? '' : PASSED}`;
    return undefined;
  }
  if (found.target !== undefined && test.includes('%{ENV:DETOUR_')) return undefined;
  if ((test !== '%{REQUEST_URI}' && test !== OWN_PATH) || pattern.startsWith('!'))
    return inexact(`the condition on ${test} cannot be imported`);
  if (found.path) return inexact('two conditions on the path cannot be imported; write them as one expression');
  const path = searchedPattern(pattern.replace(/\\z$/, '$'), false);
  if (isIssue(path)) return path;
  found.path = path;
  found.ignoresCase = isNoCase(condition);
  return undefined;
}

/** A condition on the host is always true, or a rule of another website. */
function readHost(condition: Condition, { hosts }: ServerContext): Issue | undefined {
  const isNegated = condition.pattern.startsWith('!');
  const text = condition.pattern.replace(/^!/, '');
  const matches = (host: string): boolean => {
    if (text.startsWith('=')) return host === text.slice(1).toLowerCase();
    // Hostnames are short, and the expression is bounded; nested repetitions are not run.
    if (text.length > 300 || /[*+}][^)]*\)[*+{]/.test(text)) return isNegated;
    try {
      return new RegExp(text, 'i').test(host);
    } catch {
      return isNegated;
    }
  };
  if (hosts.length > 0 && hosts.every((host) => matches(host) !== isNegated)) return undefined;
  return inexact(
    'the condition on the host does not match all hosts of this website; import it into the website of that host',
  );
}

const PAIR = String.raw`(?:[\w.~-]|\\[.\-+])+=(?:[\w.~%+-]|\\[.\-+])*`;
const WHOLE_QUERY = new RegExp(String.raw`^\^(${PAIR}(?:&${PAIR})*)\$$`);
const CONTAINED = new RegExp(String.raw`^\((?:\?:)?(?:\^\|&|&\|\^)\)(${PAIR})\((?:\?:)?(?:&\|\$|\$\|&)\)$`);

function readQuery(condition: Condition, { query }: ServerContext, found: Conditions): Issue | undefined {
  const { pattern } = condition;
  if (pattern === '^$' && query === 'exact') return undefined;
  const whole = WHOLE_QUERY.exec(pattern)?.[1];
  const pairs = whole ?? CONTAINED.exec(pattern)?.[1];
  // An unescaped dot matches any character, which a pair does not.
  if (pairs === undefined || isNoCase(condition) || /(^|[^\\])\./.test(pairs))
    return inexact('the condition on the query cannot be imported; write exact pairs, such as ^id=5$');
  found.pairs.push(...pairs.replaceAll('\\', '').split('&'));
  found.isWhole ||= whole !== undefined;
  return undefined;
}
