/**
 * Cloudflare: the CSV of a Bulk Redirect List, which has no header and no comments: with `lossy` a line that begins with `#` stands for
 * each rule that was left out, to be read and taken away. Sources need a host, so each rule stands once for every host of the environment;
 * targets must be addresses, so a path gets the host that was asked.
 */
import { csvCell } from '../lossless.ts';
import { absoluteTarget } from './literal-rule.ts';
import type { Inexpressible, ServerFormat, ServerRule, ServerSite } from './server-format.ts';

const STATUSES = [301, 302, 307, 308];

export const cloudflareFormat: ServerFormat = {
  name: 'Cloudflare',
  patterns: 'none',
  refuseSite,
  head: () => '',
  rule: sayRule,
  comment: (text) => `${csvCell(`# ${text}`)}\n`,
  separator: '',
  tail: () => '',
};

function refuseSite({ website, hosts, environment }: ServerSite): string | undefined {
  if (hosts.length === 0) return `Cloudflare needs a host; the website has none for ${environment}: add one`;
  if (website.query === 'exact')
    return "Cloudflare takes no notice of queries; the website's option query is exact";
  return website.caseSensitive
    ? undefined
    : "Cloudflare minds case; the website's option case_sensitive is false";
}

function sayRule(rule: ServerRule, { website, hosts }: ServerSite): string | Inexpressible {
  const { statusCode, target } = rule;
  if (!STATUSES.includes(statusCode) || target === null || Array.isArray(target) || rule.kind === 'pattern') {
    return { reason: `Cloudflare has no redirect with status ${statusCode}` };
  }
  const passes = website.query === 'pass';
  if (passes && target.fragment !== '') {
    return { reason: 'Cloudflare does not say where a query goes when the target has a fragment' };
  }
  const line = (host: string, path: string): string => {
    const to = absoluteTarget(target.base, host) + target.fragment;
    return `${csvCell(`https://${host}${path}`)},${csvCell(to)},${statusCode},${passes ? 'TRUE' : 'FALSE'},FALSE,FALSE,FALSE\n`;
  };
  return hosts.flatMap((host) => rule.paths.map((path) => line(host, path))).join('');
}
