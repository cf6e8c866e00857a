/**
 * Netlify: a _redirects file. Netlify passes the query, ignores a final slash, and has only 301 and 302; it cannot
 * express other options and statuses. Literals only: its wildcard also matches the path before it, which no pattern of
 * Detour does.
 */
import type { Inexpressible, ServerFormat, ServerRule, ServerSite } from './server-format.ts';

export const netlifyFormat: ServerFormat = {
  name: 'Netlify',
  patterns: 'none',
  siteProblem,
  head: ({ website, exportedAt }) => `# Redirects of website ${website.id}, exported ${exportedAt}.\n`,
  rule: writeRule,
  comment: (text) => `# ${text}\n`,
  separator: '',
  tail: () => '',
};

function siteProblem({ website }: ServerSite): string | undefined {
  if (website.query !== 'pass')
    return `Netlify passes the query, but the website's option query is ${website.query}`;
  if (website.trailingSlash !== 'ignore')
    return "Netlify ignores a final slash, but the website's option trailing_slash is exact";
  return website.caseSensitive
    ? undefined
    : "Netlify compares case, but the website's option case_sensitive is false";
}

function writeRule(rule: ServerRule): string | Inexpressible {
  const { statusCode, target } = rule;
  const path = rule.kind === 'literal' ? (rule.paths[0] ?? '') : '';
  if ((statusCode !== 301 && statusCode !== 302) || target === null || Array.isArray(target)) {
    return { reason: `Netlify has no redirect with status ${statusCode}` };
  }
  if (rule.kind === 'literal' && rule.paths.length === 1 && path !== '/') {
    return { reason: 'Netlify ignores a final slash, and the path with another one has its own redirect' };
  }
  if (target.fragment !== '')
    return { reason: 'Netlify does not document where a query goes if the target has a fragment' };
  if (/\*|\/:|%/.test(path))
    return { reason: 'Netlify reads * and : as wildcards, and does not document how it compares escapes' };
  if (/\*|\/:/.test(target.base))
    return { reason: 'Netlify replaces * and : in a target by the text of a wildcard' };
  return `${path} ${target.base} ${statusCode}!\n`;
}
