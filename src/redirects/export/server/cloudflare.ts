/**
 * Cloudflare: the CSV of a Bulk Redirect List. It has no header and no comments: with `lossy`, a line that begins with
 * `#` replaces each omitted rule; remove these lines before use. Sources need a host, so each rule has a line for each
 * host of the environment. Targets must be absolute, so a path is on the same host.
 */
import { csvCell } from '../csv.ts';
import { absoluteTarget } from './literal-rule.ts';
import type { Inexpressible, ServerFormat, ServerRule, ServerSite } from './server-format.ts';

const STATUSES = [301, 302, 307, 308];

export const cloudflareFormat: ServerFormat = {
  name: 'Cloudflare',
  patterns: 'none',
  siteProblem,
  head: () => '',
  rule: writeRule,
  comment: (text) => `${csvCell(`# ${text}`)}\n`,
  separator: '',
  tail: () => '',
};

function siteProblem({ website, hosts, environment }: ServerSite): string | undefined {
  if (hosts.length === 0)
    return `Cloudflare needs a host, but the website has none for ${environment}; add one`;
  if (website.query === 'exact') return "Cloudflare ignores queries, but the website's option query is exact";
  return website.caseSensitive
    ? undefined
    : "Cloudflare compares case, but the website's option case_sensitive is false";
}

function writeRule(rule: ServerRule, { website, hosts }: ServerSite): string | Inexpressible {
  const { statusCode, target } = rule;
  if (!STATUSES.includes(statusCode) || target === null || Array.isArray(target) || rule.kind === 'pattern') {
    return { reason: `Cloudflare has no redirect with status ${statusCode}` };
  }
  const passes = website.query === 'pass';
  if (passes && target.fragment !== '') {
    return { reason: 'Cloudflare does not document where a query goes if the target has a fragment' };
  }
  const line = (host: string, path: string): string => {
    const location = absoluteTarget(target.base, host) + target.fragment;
    return `${csvCell(`https://${host}${path}`)},${csvCell(location)},${statusCode},${passes ? 'TRUE' : 'FALSE'},FALSE,FALSE,FALSE\n`;
  };
  return hosts.flatMap((host) => rule.paths.map((path) => line(host, path))).join('');
}
