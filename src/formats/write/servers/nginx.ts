/**
 * nginx: maps to include in the http block. A hash finds the path as the client sent it, so 1,000,000 literals cost no
 * more than one; then patterns are tried in their order. Expressions of required queries are tried before, only if the
 * request has a query. The hash ignores ASCII case, so each value contains the rule's own path, which is compared if the
 * website is case-sensitive. `$` cannot be escaped in a value, but a variable can contain it.
 */
import { joinParts } from './pattern-rule.ts';
import { keptQuery, keptText, TOO_MANY_SETS } from './passed-query.ts';
import { requiredExpression, restText } from './required-query.ts';
import { ESCAPE_STEPS, RAW } from './raw-characters.ts';
import type { Inexpressible, NameSets, ServerFormat, ServerRule, ServerSite } from './server-format.ts';

export const nginxFormat: ServerFormat = {
  name: 'nginx',
  patterns: 'pcre',
  head,
  between,
  rule: writeRule,
  comment: (text) => `    # ${text}\n`,
  tail,
};

function head({ website, state }: ServerSite): string {
  return `# Redirects of website ${website.id}, ${state}.
#
# In the http block:
#   map_hash_max_size 4194304;
#   map_hash_bucket_size 16384;
#   include this file;
# In the server block:
#   absolute_redirect off;
#   if ($detour_status = 301) { return 301 $detour_location; }
#   if ($detour_status = 302) { return 302 $detour_location; }
#   if ($detour_status = 303) { return 303 $detour_location; }
#   if ($detour_status = 307) { return 307 $detour_location; }
#   if ($detour_status = 308) { return 308 $detour_location; }
#   if ($detour_status = 410) { return 410; }
#   if ($detour_status = 451) { return 451; }
#
# A path is compared as the client sent it. If a pattern would redirect to the requested URL itself, there is no redirect, and
# no further pattern is tried.
geo $detour_dollar { default "$"; }
map $request_uri $detour_sent { default ""; "~^(?<detour_raw>[^?#]*)" $detour_raw; }
${escapeMaps()}map $detour_sent $detour_path { default $detour_sent; "~${quoted(RAW)}" $detour_sent${ESCAPE_STEPS.length}; }
map "$detour_path &$args" $detour_queried {
    default "";
`;
}

function between({ website }: ServerSite): string {
  const requestMap = website.query === 'exact' ? `map $args $detour_asked { default ""; "" $detour_path; }\n` : '';
  return `}
${requestMap}map $${website.query === 'exact' ? 'detour_asked' : 'detour_path'} $detour_rule {
    default "";
`;
}

/** Each map escapes some of the characters that browsers send raw. */
function escapeMaps(): string {
  const name = (step: number): string => `$detour_sent${step === 0 ? '' : step}`;
  return ESCAPE_STEPS.map(({ escape, groups, expression }, at) => {
    const value = Array.from({ length: groups }, (_, group) => `\${detour_part${group}}`).join(escape);
    const pattern = quoted(expression((group) => `(?<detour_part${group}>`));
    return `map ${name(at)} ${name(at + 1)} { default ${name(at)}; "~${pattern}" "${value}"; }\n`;
  }).join('');
}

/** The maps that split a rule's value: status, own path or `*`, target, fragment, number of a set of names. */
function tail({ website }: ServerSite, sets: NameSets): string {
  const own = website.caseSensitive ? '(?:\\\\*|\\\\k<detour_asks>)' : '\\\\S+';
  const query = website.query === 'pass' ? '$detour_query' : '';
  return `}
map $args $detour_required { default $detour_queried; "" ""; }
map $detour_required $detour_chosen { default $detour_rule; "~^[^ ]* (?<detour_value>.*)$" $detour_value; }
map "$detour_path $detour_chosen" $detour_answer {
    default "";
    "~^(?<detour_asks>\\\\S+) (?<detour_code>\\\\d+) ${own} (?<detour_fields>.*)$" "$detour_code $detour_fields";
}
map $detour_answer $detour_target {
    default "";
    "~^\\\\d+ (?<detour_absolute>https?://[^ ]*)" $detour_absolute;
    "~^\\\\d+ [/\\\\\\\\]+(?<detour_relative>[^ ]*)" "/$detour_relative";
}
map $detour_answer $detour_fragment { default ""; "~ (?<detour_hash>#[^ ]*)(?: \\d+)?$" $detour_hash; }
${website.query === 'pass' ? queryMaps(sets) : ''}map "$detour_path$is_args$args $detour_target${query}" $detour_leads_back { default ""; "~^(?<detour_uri>\\\\S+) \\\\k<detour_uri>$" 1; }
map "$detour_leads_back$detour_answer" $detour_status { default ""; "~^(?<detour_final>[345]\\\\d\\\\d) " $detour_final; }
map $detour_status $detour_location { default "$detour_target${query}$detour_fragment"; }
`;
}

/** Appends the query of the request, or, if the target has a query, the parameters that it lacks. */
function queryMaps(sets: NameSets): string {
  const lines = sets.all().map((names, at) => {
    const expression = quoted(keptQuery(names, (group) => `(?<detour_kept${group}>`));
    return `    "~^${at} ${expression}$" "${keptText((group) => `\${detour_kept${group}}`)}";\n`;
  });
  return `map $detour_answer $detour_set { default ""; "~^\\\\d+ [^ ]* [^ ]* (?<detour_number>\\\\d+)$" $detour_number; }
map $detour_required $detour_args { default $args; "~^&*(?<detour_left>[^ ]*) " $detour_left; }
map "$detour_set &$detour_args" $detour_query {
    default "";
    "~^ &(?<detour_passed>.+)$" "?$detour_passed";
${lines.join('')}}
`;
}

/** With the quotes and the tilde, less than the buffer of nginx for a parameter. */
const MAX_EXPRESSION = 4_000;

function writeRule(rule: ServerRule, { website }: ServerSite, sets: NameSets): string | Inexpressible {
  if (rule.kind === 'literal' && rule.hasCaseTwin)
    return { reason: 'another redirect differs from it only by case, which the hash of nginx ignores' };
  const set = rule.ownNames.length === 0 ? '' : sets.numberOf(rule.ownNames);
  if (set === undefined) return TOO_MANY_SETS;
  const number = set === '' ? '' : ` ${set}`;
  if (rule.kind === 'pattern') {
    const value = joinParts(rule.target, (each) => `\${detour_group${each}}`, valueText);
    const flag = website.caseSensitive ? '' : '*';
    return `    "~${flag}^${quoted(withNames(rule.expression))}\\\\z" "${rule.statusCode} * ${value} ${number}";\n`;
  }
  const { paths, statusCode, target } = rule;
  const value = target ? `${valueText(target.base)} ${valueText(target.fragment)}` : ' ';
  if (rule.required !== undefined) {
    const expression = quoted(requiredExpression(rule, website, (group) => `(?<detour_rest${group}>`));
    if (expression.length > MAX_EXPRESSION) return { reason: 'nginx reads at most 4,096 bytes of an expression' };
    const rest = restText(website, (group) => `\${detour_rest${group}}`);
    return `    "~${expression}" "${rest} ${statusCode} * ${value}${number}";\n`;
  }
  return paths.map((path) => `    "${path}" "${statusCode} ${dollars(path)} ${value}${number}";\n`).join('');
}

/** Only an unescaped parenthesis outside a class, and not followed by a question mark, opens a capturing group. */
function withNames(expression: string): string {
  let group = 0;
  return expression.replace(/\\.|\[(?:\\.|[^\]])*\]|\((?!\?)/g, (found) =>
    found === '(' ? `(?<detour_group${++group}>` : found,
  );
}

const quoted = (text: string): string => text.replace(/[\\"]/g, '\\$&');
const dollars = (text: string): string => text.replaceAll('$', '${detour_dollar}');
const valueText = (text: string): string => dollars(quoted(text));
