/**
 * Netlify: a _redirects file. Netlify passes the query on, takes no notice of a final slash and knows 301 and 302; what is not like
 * that here cannot be said. Literals only: its wildcard also matches what stands before it, which no pattern of ours does.
 */
import type { Inexpressible, ServerFormat, ServerRule, ServerSite } from './server-format.ts';

export const netlifyFormat: ServerFormat = {
  name: 'Netlify',
  patterns: 'none',
  refuseSite,
  head: ({ website, exportedAt }) => `# Redirects of website ${website.id}, exported ${exportedAt}.\n`,
  rule: sayRule,
  comment: (text) => `# ${text}\n`,
  separator: '',
  tail: () => '',
};

function refuseSite({ website }: ServerSite): string | undefined {
  if (website.query !== 'pass')
    return `Netlify passes the query on; the website's option query is ${website.query}`;
  if (website.trailingSlash !== 'ignore')
    return "Netlify ignores a final slash; the website's option trailing_slash is exact";
  return website.caseSensitive
    ? undefined
    : "Netlify minds case; the website's option case_sensitive is false";
}

function sayRule(rule: ServerRule): string | Inexpressible {
  const { statusCode, target } = rule;
  const path = rule.kind === 'literal' ? (rule.paths[0] ?? '') : '';
  if ((statusCode !== 301 && statusCode !== 302) || target === null || Array.isArray(target)) {
    return { reason: `Netlify has no redirect with status ${statusCode}` };
  }
  if (rule.kind === 'literal' && rule.paths.length === 1 && path !== '/') {
    return { reason: 'Netlify ignores a final slash, which leads elsewhere here' };
  }
  if (target.fragment !== '')
    return { reason: 'Netlify does not say where a query goes when the target has a fragment' };
  if (/\*|\/:|%/.test(path))
    return { reason: 'Netlify reads * and : as wildcards, and does not say how it compares escapes' };
  if (/\*|\/:/.test(target.base))
    return { reason: 'Netlify reads * and : in a target as what a wildcard matched' };
  return `${path} ${target.base} ${statusCode}!\n`;
}
