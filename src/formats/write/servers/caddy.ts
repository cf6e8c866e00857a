/**
 * Caddy: a snippet for a site block. Its expressions are RE2, like Detour's. Compares paths as the client sent them,
 * because Caddy's path matchers ignore case and escapes. Values are between backticks, where only the backtick is
 * special.
 */
import { escapeRegex } from '../../../resolver/patterns/pattern-syntax.ts';
import { joinParts } from './pattern-rule.ts';
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
  rejectsEqualPatterns: true,
  head,
  rule: writeRule,
  comment: (text) => `\t\t# ${text.replaceAll('{$', '{ $')}\n`,
  tail,
};

const EMPTY = '``';

function head({ website, state }: ServerSite): string {
  const path = website.query === 'exact' ? '~^([^?#]*)\\??$' : '~^([^?#]*)';
  return `# Redirects of website ${website.id}, ${state}: import this file in the site block.
# A path is compared as the client sent it. If a pattern would redirect to the requested URL itself, there is no redirect, and
# no further pattern is tried.
route {
	map {http.request.uri} {detour_path} {
		${path} \`\${1}\`
		default ${EMPTY}
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
  const [lines, target] =
    rule.kind === 'literal'
      ? [literalLines(rule, website.caseSensitive), rule.target ? rule.target.base + rule.target.fragment : '']
      : [patternLine(rule, website.caseSensitive), joinParts(rule.target, () => '', String)];
  if (/\{\$/.test(lines)) return { reason: 'Caddy reads {$ as a variable' };
  return /[{}`]/.test(target) ? { reason: 'Caddy cannot write braces or backticks in a target' } : lines;
}

function literalLines({ paths, statusCode, target }: LiteralServerRule, caseSensitive: boolean): string {
  const text = (value: string | undefined): string =>
    `\`${caseSensitive ? (value ?? '') : (value ?? '').replaceAll('$', '$$$$')}\``;
  const values = `${statusCode} ${text(target?.base)} ${text(target?.fragment)}`;
  return paths
    .map((path) => `\t\t${caseSensitive ? `\`${path}\`` : `\`~(?i)^${escapeRegex(path)}$\``} ${values}\n`)
    .join('');
}

function patternLine({ expression, statusCode, target }: PatternServerRule, caseSensitive: boolean): string {
  const value = joinParts(
    target,
    (group) => `\${${group}}`,
    (text) => text.replaceAll('$', '$$$$'),
  );
  // Never equal to the expression of a literal, which ignores case as well.
  const whole = caseSensitive ? expression : `(?i:${expression})`;
  return `\t\t\`~^${whole}$\` ${statusCode} \`${value}\` ${EMPTY}\n`;
}
