/**
 * Apache: mod_rewrite in an .htaccess of the document root. Compares paths as the client sent them (THE_REQUEST),
 * because a RewriteRule sees the decoded path, in which %2C is a comma. Compares literals as texts, not as expressions.
 */
import { keptQuery, keptText } from './passed-query.ts';
import { joinParts } from './pattern-rule.ts';
import { requiredExpression, restText } from './required-query.ts';
import { ESCAPE_STEPS, RAW } from './raw-characters.ts';
import type {
  Inexpressible,
  LiteralServerRule,
  LocationText,
  PatternServerRule,
  ServerFormat,
  ServerRule,
  ServerSite,
} from './server-format.ts';

export const apacheFormat: ServerFormat = {
  name: 'Apache',
  patterns: 'pcre',
  head,
  rule: writeRule,
  comment: (text) => `# ${text.replace(/\\$/, '\\.')}\n`,
};

function head({ website, state }: ServerSite): string {
  return `# Redirects of website ${website.id}, ${state}: an .htaccess for the document root (AllowOverride FileInfo).
# Include a large one in the <Directory> of the document root: Apache reads an .htaccess for every request.
# A path is compared as the client sent it.
RewriteEngine On
RewriteCond %{THE_REQUEST} "^\\S+ (/[^?#\\s]*)(\\?\\S+)?"
RewriteRule ^ - [E=DETOUR_PATH:%1,E=DETOUR_QUERY:%2]
RewriteCond %{ENV:DETOUR_PATH} "!${RAW}"
RewriteRule ^ - [S=${ESCAPE_STEPS.length}]
${ESCAPE_STEPS.map(escapeLines).join('')}`;
}

function escapeLines({ escape, groups, expression }: (typeof ESCAPE_STEPS)[number]): string {
  const value = Array.from({ length: groups }, (_, at) => `%${at + 1}`).join(plain(escape));
  return `RewriteCond %{ENV:DETOUR_PATH} "${expression(() => '(')}"\nRewriteRule ^ - [E=DETOUR_PATH:${value}]\n`;
}

function writeRule(rule: ServerRule, { website }: ServerSite): string | Inexpressible {
  const exact = website.query === 'exact' ? 'RewriteCond %{QUERY_STRING} "^$"\n' : '';
  const options = { exact, noCase: website.caseSensitive ? '' : 'NC', query: website.query };
  if (rule.kind === 'pattern') return patternLines(rule, options);
  const reason = pathReason(rule.paths[0] ?? '');
  if (reason !== undefined) return { reason };
  return rule.required === undefined ? literalLines(rule, options) : requiredLines(rule, website);
}

type Options = { exact: string; noCase: string; query: string };

/** The reason why Apache rejects the path before it reads an .htaccess. */
function pathReason(path: string): string | undefined {
  if (path.includes('%2F')) return 'Apache responds with 404 to an escaped slash (AllowEncodedSlashes)';
  if (/\/\.ht[^/]*\/?$/i.test(path)) return 'Apache denies access to names that begin with .ht';
  if (path.split('/').some((segment) => segment.length > 255)) return 'Apache rejects names of over 255 bytes';
  return undefined;
}

function literalLines({ paths, statusCode, target, ownNames }: LiteralServerRule, { exact, noCase, query }: Options) {
  const conditions = paths.map((path, at) => {
    const flags = [noCase, at < paths.length - 1 ? 'OR' : ''].filter((flag) => flag !== '').join(',');
    return `RewriteCond %{ENV:DETOUR_PATH} "=${path}"${flags === '' ? '' : ` [${flags}]`}\n`;
  });
  const match = exact + conditions.join('');
  if (!target) return `${match}RewriteRule ^ - [R=${statusCode},L]\n`;
  if (target.base.endsWith('?')) return { reason: ENDS_IN_MARK };
  if (hasBothQuotes(target.base + target.fragment)) return { reason: BOTH_QUOTES };
  const rule = (to: string, flags: string): string =>
    `${match}RewriteRule ^ ${quoted(to)} [R=${statusCode},L,NE${flags}]\n`;
  if (ownNames.length > 0) {
    const kept = plain(target.base) + keptText((group) => `%${group}`) + plain(target.fragment);
    return `${match}RewriteCond "&%{QUERY_STRING}" "^${keptQuery(ownNames)}$"\nRewriteRule ^ ${quoted(kept)} [R=${statusCode},L,NE]\n`;
  }
  if (query !== 'pass') return rule(substitution(target), target.base.includes('?') ? '' : ',QSD');
  // Apache omits the question mark if nothing follows it.
  if (target.fragment === '') return rule(plain(target.base) + PASSED_QUERY, '');
  // The query goes before the fragment; without a query, no question mark may remain.
  const withQuery = plain(target.base) + PASSED_QUERY + plain(target.fragment);
  return `RewriteCond %{QUERY_STRING} "!^$"\n${rule(withQuery, '')}${rule(substitution(target), ',QSD')}`;
}

function requiredLines(rule: LiteralServerRule, website: ServerSite['website']): string | Inexpressible {
  const { statusCode, target, ownNames } = rule;
  const match = `RewriteCond "%{ENV:DETOUR_PATH} &%{QUERY_STRING}" "${requiredExpression(rule, website)}"\n`;
  if (!target) return `${match}RewriteRule ^ - [R=${statusCode},L]\n`;
  if (target.base.endsWith('?')) return { reason: ENDS_IN_MARK };
  if (hasBothQuotes(target.base + target.fragment)) return { reason: BOTH_QUOTES };
  const [base, fragment] = [plain(target.base), plain(target.fragment)];
  const rest = restText(website, (group) => `%${group}`);
  const redirect = (condition: string, to: string, flags = ''): string =>
    `${match}${condition}RewriteRule ^ ${quoted(to)} [R=${statusCode},L,NE${flags}]\n`;
  const without = redirect('', base + fragment, base.includes('?') ? '' : ',QSD');
  if (website.query !== 'pass') return without;
  if (ownNames.length === 0)
    return redirect(`RewriteCond "${rest}" "^&+([^&].*)$"\n`, `${base}?%1${fragment}`) + without;
  return redirect(
    `RewriteCond "${rest}" "^${keptQuery(ownNames)}$"\n`,
    base + keptText((group) => `%${group}`) + fragment,
  );
}

function patternLines(
  { expression, statusCode, target, groups, ownNames }: PatternServerRule,
  { exact, noCase, query }: Options,
) {
  if (groups > 9) return { reason: 'Apache has at most nine groups' };
  const location = joinParts(target, (group) => `%${group}`, plain);
  if (location.endsWith('?')) return { reason: ENDS_IN_MARK };
  if (hasBothQuotes(location)) return { reason: BOTH_QUOTES };
  const flags = noCase === '' ? '' : ` [${noCase}]`;
  const match = `${exact}RewriteCond %{ENV:DETOUR_PATH} "^${expression}\\z"${flags}\n`;
  if (!target) return `${match}RewriteRule ^ - [R=${statusCode},L]\n`;
  const [slash, base] = /^https?:\/\//i.test(String(target[0])) ? ['', '(\\S*)'] : ['/', '[/\\\\]*(\\S*)'];
  const mark = location.indexOf('?');
  // Apache responds with 403 if the first question mark of a substitution comes from a group.
  const rule = (parts: string, pattern: string, [to, suffix, flag]: [string, string, string]): string =>
    `${match}RewriteCond ${quoted(parts)} "^${base}${pattern}$"\n` +
    // Excludes a redirect to the requested URL.
    `RewriteCond "${slash}${to} %{ENV:DETOUR_PATH}${query === 'pass' && mark < 0 ? '' : '%{ENV:DETOUR_QUERY}'}" "!^(\\S*) \\1$"\n` +
    `RewriteRule ^ "${slash}${to}${suffix}" [R=${statusCode},L,NE${flag}]\n`;
  if (mark < 0) return rule(location, '', query === 'pass' ? ['%1', PASSED_QUERY, ''] : ['%1', '', ',QSD']);
  const parts = `${location.slice(0, mark)} ${location.slice(mark + 1)}`;
  if (ownNames.length === 0) return rule(parts, ' (\\S*)', ['%1?%2', '', '']);
  const kept = keptText((group) => `%${group + 2}`);
  return rule(`${parts} &%{QUERY_STRING}`, ` (\\S*) ${keptQuery(ownNames)}`, [`%1?%2${kept}`, '', '']);
}

const PASSED_QUERY = '?%{QUERY_STRING}';

const ENDS_IN_MARK = 'Apache drops a question mark at the end of a target';

function substitution({ base, fragment }: LocationText): string {
  return plain(base) + plain(fragment);
}

/** mod_rewrite has no escape for the quote that begins an argument. */
const quoted = (text: string): string => (text.includes('"') ? `'${text}'` : `"${text}"`);

const hasBothQuotes = (text: string): boolean => text.includes('"') && text.includes("'");
const BOTH_QUOTES = 'Apache cannot write a target with both kinds of quotes';

/** Escapes text for a substitution or a test string, where `$`, `%` and a backslash are special. */
const plain = (text: string): string => text.replace(/[\\$%{]/g, '\\$&');
