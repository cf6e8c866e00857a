/**
 * Caddy: a snippet for a site block. Its expressions are RE2, like Detour's. Compares paths as the client sent them:
 * Caddy's path matchers ignore case and escapes, and {http.request.uri} escapes an apostrophe if a raw `|` is beside
 * it. Values are between backticks, where only the backtick is special.
 */
import { escapeRegex } from '../../../resolver/patterns/pattern-syntax.ts';
import { keptQuery, keptText, TOO_MANY_SETS } from './passed-query.ts';
import { joinParts } from './pattern-rule.ts';
import { requiredExpression, restText } from './required-query.ts';
import { RAW_ESCAPES } from './raw-characters.ts';
import type {
  Inexpressible,
  LiteralServerRule,
  NameSets,
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
  between,
  rule: writeRule,
  comment: (text) => `\t\t# ${text.replaceAll('{$', '{ $')}\n`,
  tail,
};

const EMPTY = '``';
/** Fields of the request, removed at the end: a map compares all its lines at each use of a value. */
const PATH = '{http.request.header.Detour-Path}';
const CODE = '{http.request.header.Detour-Code}';
const REQUIRED = '{http.request.header.Detour-Required}';
const TARGET = '{http.request.header.Detour-Target}';

function head({ website, state }: ServerSite): string {
  return `# Redirects of website ${website.id}, ${state}: import this file in the site block.
# A path is compared as the client sent it. If a pattern would redirect to the requested URL itself, there is no redirect, and
# no further pattern is tried.
route {
	map {http.request.orig_uri} {detour_path} {
		~^(?:https?://[^/?#]*)?(/[^?#]*) \`\${1}\`
		default ${EMPTY}
	}
	request_header Detour-Path {detour_path}
${RAW_ESCAPES.map(({ raw, escape }) => `	request_header Detour-Path \`\\${raw}\` \`${escape}\`\n`).join('')}	map \`${PATH} &{http.request.uri.query}\` {detour_required} {
`;
}

function between({ website }: ServerSite): string {
  const path = website.query === 'exact' ? '{detour_plain}' : PATH;
  const plain = `	map \`${PATH}?{http.request.uri.query}\` {detour_plain} {
		~^([^?]*)\\?$ \`\${1}\`
		default ${EMPTY}
	}
`;
  return `		default ${EMPTY}
	}
	request_header Detour-Required {detour_required}
${website.query === 'exact' ? plain : ''}	map ${path} {detour_code} {detour_target} {detour_fragment} {
`;
}

function tail({ website }: ServerSite, sets: NameSets): string {
  const query = website.query === 'pass' ? '{detour_query}' : '';
  return `		default ${EMPTY} ${EMPTY} ${EMPTY}
	}
	map ${REQUIRED} {detour_status} {detour_to} {detour_hash} {detour_args} {
		\`~^&*(\\S*) (\\d+) ((?:\\d+ )?\\S*) (\\S*)$\` \`\${2}\` \`\${3}\` \`\${4}\` \`\${1}\`
		default {detour_code} {detour_target} {detour_fragment} {http.request.uri.query}
	}
	request_header Detour-Code {detour_status}
	request_header Detour-Target {detour_to}
${query === '' ? '' : queryMaps(sets)}	map ${TARGET} {detour_base} {
		\`~^(?:\\d+ )?(https?://.*)$\` \`\${1}\`
		\`~^(?:\\d+ )?[/\\\\]+(.*)$\` \`/\${1}\`
		default ${EMPTY}
	}
	map {http.request.orig_uri} {detour_sent_query} {
		~^[^?#]*(\\?[^#]+)$ \`\${1}\`
		default ${EMPTY}
	}
	map ${PATH}{detour_sent_query} {detour_asked} {
		~^(.*)$ \`\${1}\`
	}
	@detour_gone vars ${CODE} 410 451
	respond @detour_gone ${EMPTY} ${CODE}
	@detour_moves {
		not vars ${CODE} ${EMPTY}
		not vars {detour_asked} {detour_base}${query}
	}
	header @detour_moves Location {detour_base}${query}{detour_hash}
	respond @detour_moves ${EMPTY} ${CODE}
	request_header -Detour-Path
	request_header -Detour-Required
	request_header -Detour-Code
	request_header -Detour-Target
}
`;
}

/** Appends the query of the request, or, if the target has a query, the parameters that it lacks. */
function queryMaps(sets: NameSets): string {
  const value = keptText((group) => `\${${group}}`);
  const lines = sets.all().map((names, at) => `\t\t\`~^${at} ${keptQuery(names)}$\` \`${value}\`\n`);
  return `	map ${TARGET} {detour_set} {
		\`~^(\\d+) \` \`\${1}\`
		default ${EMPTY}
	}
	map \`{detour_set} &{detour_args}\` {detour_query} {
${lines.join('')}		\`~^ &([^#]+)$\` \`?\${1}\`
		default ${EMPTY}
	}
`;
}

function writeRule(rule: ServerRule, { website }: ServerSite, sets: NameSets): string | Inexpressible {
  const set = rule.ownNames.length === 0 ? '' : sets.numberOf(rule.ownNames);
  if (set === undefined) return TOO_MANY_SETS;
  const number = set === '' ? '' : `${set} `;
  const [lines, target] =
    rule.kind === 'literal'
      ? [literalLines(rule, number, website), rule.target ? rule.target.base + rule.target.fragment : '']
      : [patternLine(rule, number, website.caseSensitive), joinParts(rule.target, () => '', String)];
  if (/\{\$/.test(lines)) return { reason: 'Caddy reads {$ as a variable' };
  return /[{}`]/.test(target) ? { reason: 'Caddy cannot write braces or backticks in a target' } : lines;
}

function literalLines(rule: LiteralServerRule, number: string, website: ServerSite['website']): string {
  const { paths, statusCode, target } = rule;
  const { caseSensitive } = website;
  if (rule.required !== undefined) {
    const value = `${number}${target?.base ?? ''} ${target?.fragment ?? ''}`.replaceAll('$', '$$$$');
    const rest = restText(website, (group) => `\${${group}}`);
    return `\t\t\`~${requiredExpression(rule, website)}\` \`${rest} ${statusCode} ${value}\`\n`;
  }
  const text = (value: string): string => `\`${caseSensitive ? value : value.replaceAll('$', '$$$$')}\``;
  const values = `${statusCode} ${text(number + (target?.base ?? ''))} ${text(target?.fragment ?? '')}`;
  return paths
    .map((path) => `\t\t${caseSensitive ? `\`${path}\`` : `\`~(?i)^${escapeRegex(path)}$\``} ${values}\n`)
    .join('');
}

function patternLine({ expression, statusCode, target }: PatternServerRule, number: string, caseSensitive: boolean) {
  const value = joinParts(
    target,
    (group) => `\${${group}}`,
    (text) => text.replaceAll('$', '$$$$'),
  );
  // Never equal to the expression of a literal, which ignores case as well.
  const whole = caseSensitive ? expression : `(?i:${expression})`;
  return `\t\t\`~^${whole}$\` ${statusCode} \`${number}${value}\` ${EMPTY}\n`;
}
