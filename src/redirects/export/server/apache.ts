/**
 * Apache: mod_rewrite in an .htaccess of the document root. Paths are compared as they were sent (THE_REQUEST): the path that a
 * RewriteRule sees is decoded, so it could not tell %2C from a comma. Literals are compared as texts, not as expressions.
 */
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
  rule: sayRule,
  comment: (text) => `# ${text.replace(/\\$/, '\\.')}\n`,
  separator: '',
  tail: () => '',
};

function head({ website, exportedAt }: ServerSite): string {
  return `# Redirects of website ${website.id}, exported ${exportedAt}: an .htaccess for the document root (AllowOverride FileInfo).
# Of a large one, Include it in the <Directory> of the document root: Apache reads an .htaccess at every request.
# A path is compared as the client sent it.
RewriteEngine On
RewriteCond %{THE_REQUEST} "^\\S+ (/[^?#\\s]*)(\\??\\S*)"
RewriteRule ^ - [E=DETOUR_PATH:%1,E=DETOUR_URI:%1%2]
`;
}

function sayRule(rule: ServerRule, { website }: ServerSite): string | Inexpressible {
  const exact = website.query === 'exact' ? 'RewriteCond %{QUERY_STRING} "^$"\n' : '';
  const noCase = website.caseSensitive ? '' : 'NC';
  if (rule.kind === 'pattern') return patternLines(rule, exact, noCase, website.query);
  const reason = pathReason(rule.paths[0] ?? '');
  if (reason !== undefined) return { reason };
  return literalLines(rule, exact, noCase, website.query);
}

/** What Apache refuses before an .htaccess is read. */
function pathReason(path: string): string | undefined {
  if (path.includes('%2F')) return 'Apache answers 404 to an escaped slash (AllowEncodedSlashes)';
  if (/\/\.ht[^/]*\/?$/i.test(path)) return 'Apache refuses files whose names begin with .ht';
  if (path.split('/').some((segment) => segment.length > 255))
    return 'Apache refuses names of over 255 bytes';
  return undefined;
}

function literalLines(
  { paths, statusCode, target }: LiteralServerRule,
  exact: string,
  noCase: string,
  query: string,
): string | Inexpressible {
  const conditions = paths
    .map((path, at) => {
      const flags = [noCase, at < paths.length - 1 ? 'OR' : ''].filter((flag) => flag !== '').join(',');
      return `RewriteCond %{ENV:DETOUR_PATH} "=${path}"${flags === '' ? '' : ` [${flags}]`}\n`;
    })
    .join('');
  if (!target) return `${exact}${conditions}RewriteRule ^ - [R=${statusCode},L]\n`;
  if (target.base.endsWith('?')) return { reason: ENDS_IN_MARK };
  if (holdsBothQuotes(target.base + target.fragment)) return { reason: BOTH_QUOTES };
  const rule = (to: string, flags: string): string =>
    `${exact}${conditions}RewriteRule ^ ${quoted(to)} [R=${statusCode},L,NE${flags}]\n`;
  if (query !== 'pass') return rule(substitution(target), target.base.includes('?') ? '' : ',QSD');
  if (target.fragment === '') return rule(substitution(target), '');
  // The query goes before the fragment, and without one there must be no question mark.
  const { base, fragment } = target;
  const withQuery = `${plain(base)}?%{QUERY_STRING}${plain(fragment)}`;
  return `RewriteCond %{QUERY_STRING} "!^$"\n${rule(withQuery, '')}${rule(substitution(target), '')}`;
}

function patternLines(
  { expression, statusCode, target, groups }: PatternServerRule,
  exact: string,
  noCase: string,
  query: string,
): string | Inexpressible {
  if (groups > 9) return { reason: 'Apache has no more than nine groups' };
  const made = (target ?? []).map((part) => (typeof part === 'number' ? `%${part}` : plain(part))).join('');
  if (made.endsWith('?')) return { reason: ENDS_IN_MARK };
  if (holdsBothQuotes(made)) return { reason: BOTH_QUOTES };
  const flags = noCase === '' ? '' : ` [${noCase}]`;
  const match = `${exact}RewriteCond %{ENV:DETOUR_PATH} "^${expression}\\z"${flags}\n`;
  if (!target) return `${match}RewriteRule ^ - [R=${statusCode},L]\n`;
  const isAbsolute = /^https?:\/\//i.test(String(target[0]));
  const [slash, rest] = isAbsolute ? ['', '^(.*)'] : ['/', '^[/\\\\]*(.*)'];
  const asked = query === 'pass' ? 'DETOUR_PATH' : 'DETOUR_URI';
  const keepsQuery = query === 'pass' || made.includes('?');
  // The second condition takes away slashes that a group brought to the front, the third lets no rule lead to the request itself.
  return (
    match +
    `RewriteCond ${quoted(made)} "${rest}"\n` +
    `RewriteCond "${slash}%1 %{ENV:${asked}}" "!^(\\S*) \\1$"\n` +
    `RewriteRule ^ "${slash}%1" [R=${statusCode},L,NE${keepsQuery ? '' : ',QSD'}]\n`
  );
}

const ENDS_IN_MARK = 'Apache drops a question mark at the end of a target';

function substitution({ base, fragment }: LocationText): string {
  return plain(base) + plain(fragment);
}

/** mod_rewrite knows no escape for the quote that an argument began with. */
const quoted = (text: string): string => (text.includes('"') ? `'${text}'` : `"${text}"`);

const holdsBothQuotes = (text: string): boolean => text.includes('"') && text.includes("'");
const BOTH_QUOTES = 'Apache cannot write a target with both kinds of quotes';

/** A text that stands for itself in a substitution or test string, where `$`, `%` and a backslash mean something. */
const plain = (text: string): string => text.replace(/[\\$%{]/g, '\\$&');
