/**
 * Vercel: a file of bulk redirects (bulkRedirectsPath in vercel.json), which compares literal paths. JSON has no
 * comments: with `lossy`, an element with the single member "//" replaces each omitted rule; remove these elements
 * before use.
 */
import type { Inexpressible, ServerFormat, ServerRule, ServerSite } from './server-format.ts';

const STATUSES = [301, 302, 303, 307, 308];

export const vercelFormat: ServerFormat = {
  name: 'Vercel',
  patterns: 'none',
  siteProblem: ({ website }) =>
    website.query === 'exact' ? "Vercel ignores queries, but the website's option query is exact" : undefined,
  head: () => '[\n',
  rule: writeRule,
  comment: (text) => JSON.stringify({ '//': text }),
  separator: ',\n',
  tail: () => '\n]\n',
};

function writeRule(rule: ServerRule, { website }: ServerSite): string | Inexpressible {
  const { statusCode, target } = rule;
  if (!STATUSES.includes(statusCode) || target === null || Array.isArray(target) || rule.kind === 'pattern') {
    return { reason: `Vercel has no redirect with status ${statusCode}` };
  }
  const passes = website.query === 'pass';
  if (passes && target.fragment !== '') {
    return { reason: 'Vercel does not document where a query goes if the target has a fragment' };
  }
  const destination = target.base + target.fragment;
  return rule.paths
    .map((source) =>
      JSON.stringify({
        source,
        destination,
        statusCode,
        caseSensitive: website.caseSensitive,
        query: passes,
      }),
    )
    .join(',\n');
}
