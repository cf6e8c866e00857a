/**
 * Caddy: a snippet for a site block. Its expressions are RE2 as ours are. Paths are compared as they were sent, since Caddy's own path
 * matchers ignore case and escapes. Values stand between backticks, in which nothing is special but the backtick.
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
  rule: sayRule,
  comment: (text) => `\t\t# ${text.replaceAll('{$', '{ $')}\n`,
  separator: '',
  tail,
};

const NONE = '``';

function head({ website, exportedAt }: ServerSite): string {
  const asked =
    website.query === 'exact'
      ? '~^([^?#]*)\\??$ `${1}`\n\t\tdefault ``'
      : '~^([^?#]*) `${1}`\n\t\tdefault ``';
  return `# Redirects of website ${website.id}, exported ${exportedAt}: import this file in the site block.
# A path is compared as the client sent it. Where a pattern would lead to the very address that is asked for, there is no
# redirect, and no further pattern is tried.
route {
	map {http.request.uri} {detour_path} {
		${asked}
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
  return `		default ${NONE} ${NONE} ${NONE}
	}
${queryMap}	map {detour_target} {detour_base} {
		~^(https?://.*)$ \`\${1}\`
		~^[/\\\\]+(.*)$ \`/\${1}\`
		default ${NONE}
	}
	@detour_gone vars {detour_code} 410 451
	respond @detour_gone ${NONE} {detour_code}
	@detour_moves {
		not vars {detour_code} ${NONE}
		not vars {http.request.uri} {detour_base}${query}
	}
	header @detour_moves Location {detour_base}${query}{detour_fragment}
	respond @detour_moves ${NONE} {detour_code}
}
`;
}

function sayRule(rule: ServerRule, { website }: ServerSite): string | Inexpressible {
  const said =
    rule.kind === 'literal'
      ? literalLines(rule, website.caseSensitive)
      : patternLine(rule, website.caseSensitive);
  if (/\{\$/.test(said)) return { reason: 'Caddy reads {$ as a variable' };
  return /[{}`]/.test(targetText(rule))
    ? { reason: 'Caddy has no way to write braces or backticks in a target' }
    : said;
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

/** A canonical path as an expression for exactly it. */
const expressionOf = (path: string): string => path.replace(/[.*+?()[\]{}|^$\\]/g, '\\$&');

function patternLine({ expression, statusCode, target }: PatternServerRule, caseSensitive: boolean): string {
  const value = (target ?? [])
    .map((part) => (typeof part === 'number' ? `\${${part}}` : part.replaceAll('$', '$$$$')))
    .join('');
  return `\t\t\`~${caseSensitive ? '' : '(?i)'}^${expression}$\` ${statusCode} \`${value}\` ${NONE}\n`;
}
