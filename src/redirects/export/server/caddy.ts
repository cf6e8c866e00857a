/**
 * Caddy: a snippet for a site block. Its expressions are RE2, like Detour's. Compares paths as the client sent them,
 * because Caddy's path matchers ignore case and escapes. Values are between backticks, where only the backtick is
 * special.
 */
import type {
  Inexpressible,
  LiteralServerRule,
  PatternServerRule,
  ServerFormat,
  ServerRule,
  ServerSite,
} from './server-format.ts';

export const caddyFormat: ServerFormat = {
  name: 'Caddy',
  patterns: 're2',
  head,
  rule: writeRule,
  comment: (text) => `\t\t# ${text.replaceAll('{$', '{ $')}\n`,
  separator: '',
  tail,
};

const EMPTY = '``';

function head({ website, exportedAt }: ServerSite): string {
  const requestMap =
    website.query === 'exact'
      ? '~^([^?#]*)\\??$ `${1}`\n\t\tdefault ``'
      : '~^([^?#]*) `${1}`\n\t\tdefault ``';
  return `# Redirects of website ${website.id}, exported ${exportedAt}: import this file in the site block.
# A path is compared as the client sent it. If a pattern would redirect to the requested URL itself, there is no redirect, and
# no further pattern is tried.
route {
	map {http.request.uri} {detour_path} {
		${requestMap}
	}
	map {detour_path} {detour_code} {detour_target} {detour_fragment} {
`;
}

function tail({ website }: ServerSite): string {
  const pass = website.query === 'pass';
  const query = pass ? '{detour_query}' : '';
  const queryMap = pass
    ? '\tmap {http.request.uri} {detour_query} {\n\t\t~^[^?#]*(\\?[^#]+)$ `${1}`\n\t\tdefault ``\n\t}\n'
    : '';
  return `		default ${EMPTY} ${EMPTY} ${EMPTY}
	}
${queryMap}	map {detour_target} {detour_base} {
		~^(https?://.*)$ \`\${1}\`
		~^[/\\\\]+(.*)$ \`/\${1}\`
		default ${EMPTY}
	}
	@detour_gone vars {detour_code} 410 451
	respond @detour_gone ${EMPTY} {detour_code}
	@detour_moves {
		not vars {detour_code} ${EMPTY}
		not vars {http.request.uri} {detour_base}${query}
	}
	header @detour_moves Location {detour_base}${query}{detour_fragment}
	respond @detour_moves ${EMPTY} {detour_code}
}
`;
}

function writeRule(rule: ServerRule, { website }: ServerSite): string | Inexpressible {
  const lines =
    rule.kind === 'literal'
      ? literalLines(rule, website.caseSensitive)
      : patternLine(rule, website.caseSensitive);
  if (/\{\$/.test(lines)) return { reason: 'Caddy reads {$ as a variable' };
  return /[{}`]/.test(targetText(rule))
    ? { reason: 'Caddy cannot write braces or backticks in a target' }
    : lines;
}

function targetText({ target }: ServerRule): string {
  if (target === null) return '';
  return Array.isArray(target)
    ? target.filter((part) => typeof part === 'string').join('')
    : target.base + target.fragment;
}

function literalLines({ paths, statusCode, target }: LiteralServerRule, caseSensitive: boolean): string {
  const text = (value: string | undefined): string =>
    `\`${caseSensitive ? (value ?? '') : (value ?? '').replaceAll('$', '$$$$')}\``;
  const values = `${statusCode} ${text(target?.base)} ${text(target?.fragment)}`;
  return paths
    .map((path) => `\t\t${caseSensitive ? `\`${path}\`` : `\`~(?i)^${expressionOf(path)}$\``} ${values}\n`)
    .join('');
}

/** An expression for exactly this canonical path. */
const expressionOf = (path: string): string => path.replace(/[.*+?()[\]{}|^$\\]/g, '\\$&');

function patternLine({ expression, statusCode, target }: PatternServerRule, caseSensitive: boolean): string {
  const value = (target ?? [])
    .map((part) => (typeof part === 'number' ? `\${${part}}` : part.replaceAll('$', '$$$$')))
    .join('');
  return `\t\t\`~${caseSensitive ? '' : '(?i)'}^${expression}$\` ${statusCode} \`${value}\` ${EMPTY}\n`;
}
