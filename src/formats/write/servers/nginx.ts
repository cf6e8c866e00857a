/**
 * nginx: maps to include in the http block. A hash finds the path as the client sent it, so 1,000,000 literals cost no
 * more than one; then patterns are tried in their order. The hash ignores ASCII case, so each value contains the rule's
 * own path, which is compared if the website is case-sensitive. `$` cannot be escaped in a value, but a variable can
 * contain it.
 */
import { joinParts } from './pattern-rule.ts';
import type { LiteralServerRule, PatternServerRule, ServerFormat, ServerSite } from './server-format.ts';

export const nginxFormat: ServerFormat = {
  name: 'nginx',
  patterns: 'pcre',
  head,
  rule: (rule, site) =>
    rule.kind === 'literal' && rule.hasCaseTwin
      ? { reason: 'another redirect differs from it only by case, which the hash of nginx ignores' }
      : rule.kind === 'literal'
        ? literalLines(rule)
        : patternLine(rule, site.website.caseSensitive),
  comment: (text) => `    # ${text}\n`,
  tail,
};

function head({ website, state }: ServerSite): string {
  const requestMap = website.query === 'exact' ? `map $args $detour_asked { default ""; "" $detour_path; }\n` : '';
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
map $request_uri $detour_path { default ""; "~^(?<detour_sent>[^?#]*)" $detour_sent; }
${requestMap}map $${website.query === 'exact' ? 'detour_asked' : 'detour_path'} $detour_rule {
    default "";
`;
}

/** The maps that split a rule's value: status, own path or `*`, target, fragment. */
function tail({ website }: ServerSite): string {
  const own = website.caseSensitive ? '(?:\\\\*|\\\\k<detour_asks>)' : '\\\\S+';
  const query = website.query === 'pass' ? '$is_args$args' : '';
  return `}
map "$detour_path $detour_rule" $detour_answer {
    default "";
    "~^(?<detour_asks>\\\\S+) (?<detour_code>\\\\d+) ${own} (?<detour_rest>.*)$" "$detour_code $detour_rest";
}
map $detour_answer $detour_target {
    default "";
    "~^\\\\d+ (?<detour_absolute>https?://[^ ]*)" $detour_absolute;
    "~^\\\\d+ [/\\\\\\\\]+(?<detour_relative>[^ ]*)" "/$detour_relative";
}
map $detour_answer $detour_fragment { default ""; "~ (?<detour_hash>#[^ ]*)$" $detour_hash; }
map "$request_uri $detour_target${query}" $detour_leads_back { default ""; "~^(?<detour_uri>\\\\S+) \\\\k<detour_uri>$" 1; }
map "$detour_leads_back$detour_answer" $detour_status { default ""; "~^(?<detour_final>[345]\\\\d\\\\d) " $detour_final; }
map $detour_status $detour_location { default "$detour_target${query}$detour_fragment"; }
`;
}

function literalLines({ paths, statusCode, target }: LiteralServerRule): string {
  const value = target ? `${valueText(target.base)} ${valueText(target.fragment)}` : ' ';
  return paths.map((path) => `    "${path}" "${statusCode} ${dollars(path)} ${value}";\n`).join('');
}

function patternLine({ expression, statusCode, target }: PatternServerRule, caseSensitive: boolean): string {
  let group = 0;
  // Only an unescaped parenthesis outside a class, and not followed by a question mark, opens a capturing group.
  const named = expression.replace(/\\.|\[(?:\\.|[^\]])*\]|\((?!\?)/g, (found) =>
    found === '(' ? `(?<detour_group${++group}>` : found,
  );
  const value = joinParts(target, (each) => `\${detour_group${each}}`, valueText);
  return `    "~${caseSensitive ? '' : '*'}^${quoted(named)}\\\\z" "${statusCode} * ${value} ";\n`;
}

const quoted = (text: string): string => text.replace(/[\\"]/g, '\\$&');
const dollars = (text: string): string => text.replaceAll('$', '${detour_dollar}');
const valueText = (text: string): string => dollars(quoted(text));
