/**
 * Vercel: a file of bulk redirects (bulkRedirectsPath in vercel.json), which are paths compared as they are, and many. JSON has no comments:
 * with `lossy` an element with the one member "//" stands for each rule that was left out, to be read and taken away.
 */
import type { Inexpressible, ServerFormat, ServerRule, ServerSite } from './server-format.ts';

const STATUSES = [301, 302, 303, 307, 308];

export const vercelFormat: ServerFormat = {
  name: 'Vercel',
  patterns: 'none',
  refuseSite: ({ website }) =>
    website.query === 'exact'
      ? "Vercel takes no notice of queries; the website's option query is exact"
      : undefined,
  head: () => '[\n',
  rule: sayRule,
  comment: (text) => JSON.stringify({ '//': text }),
  separator: ',\n',
  tail: () => '\n]\n',
};

function sayRule(rule: ServerRule, { website }: ServerSite): string | Inexpressible {
  const { statusCode, target } = rule;
  if (!STATUSES.includes(statusCode) || target === null || Array.isArray(target) || rule.kind === 'pattern') {
    return { reason: `Vercel has no redirect with status ${statusCode}` };
  }
  const passes = website.query === 'pass';
  if (passes && target.fragment !== '') {
    return { reason: 'Vercel does not say where a query goes when the target has a fragment' };
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
