/**
 * Netlify, Vercel and Cloudflare: lists of literal paths. Netlify's wildcard also matches the path before it, which no
 * pattern of Detour does. The lists of Vercel and Cloudflare have no comments: with `lossy`, an element with the single
 * member "//", or a line that begins with `#`, replaces each omitted rule; remove these before use.
 */
import { baseOf, isWildcard } from '../../../resolver/host-table.ts';
import { isAbsolute } from '../../../resolver/target.ts';
import { csvCell } from '../csv.ts';
import type { Inexpressible, LiteralServerRule, LocationText, ServerFormat, ServerSite } from './server-format.ts';

interface ListFormat extends Omit<ServerFormat, 'patterns' | 'rule'> {
  statuses: number[];
  write: (rule: LiteralServerRule & { target: LocationText }, site: ServerSite) => string | Inexpressible;
}

function listFormat({ statuses, write, ...format }: ListFormat): ServerFormat {
  return {
    ...format,
    patterns: 'none',
    rule(rule, site) {
      if (rule.kind === 'pattern' || rule.target === null || !statuses.includes(rule.statusCode)) {
        return { reason: `${format.name} has no redirect with status ${rule.statusCode}` };
      }
      if (rule.required !== undefined) return { reason: 'it requires a query' };
      if (rule.ownNames.length > 0) return { reason: `${format.name} does not document how it merges two queries` };
      return write({ ...rule, target: rule.target }, site);
    },
  };
}

const withFragment = (product: string): Inexpressible => ({
  reason: `${product} does not document where a query goes if the target has a fragment`,
});

const caseProblem = (product: string, caseSensitive: boolean): string | undefined =>
  caseSensitive ? undefined : `${product} compares case, but the website's option case_sensitive is false`;

/** A _redirects file. Netlify passes the query and ignores a final slash; it cannot express other options. */
export const netlifyFormat = listFormat({
  name: 'Netlify',
  statuses: [301, 302],
  siteProblem({ website }) {
    if (website.query !== 'pass') return `Netlify passes the query, but the website's option query is ${website.query}`;
    if (website.trailingSlash !== 'ignore')
      return "Netlify ignores a final slash, but the website's option trailing_slash is exact";
    return caseProblem('Netlify', website.caseSensitive);
  },
  head: ({ website, state }) => `# Redirects of website ${website.id}, ${state}.\n`,
  write({ paths, statusCode, target }) {
    const [path = ''] = paths;
    if (paths.length === 1 && path !== '/')
      return { reason: 'Netlify ignores a final slash, and the path with another one has its own redirect' };
    if (target.fragment !== '') return withFragment('Netlify');
    if (/\*|\/:|%/.test(path))
      return { reason: 'Netlify reads * and : as wildcards, and does not document how it compares escapes' };
    if (/\*|\/:/.test(target.base)) return { reason: 'Netlify replaces * and : in a target by the text of a wildcard' };
    return `${path} ${target.base} ${statusCode}!\n`;
  },
  comment: (text) => `# ${text}\n`,
});

/** A file of bulk redirects (bulkRedirectsPath in vercel.json). */
export const vercelFormat = listFormat({
  name: 'Vercel',
  statuses: [301, 302, 303, 307, 308],
  siteProblem: ({ website }) =>
    website.query === 'exact' ? "Vercel ignores queries, but the website's option query is exact" : undefined,
  head: () => '[\n',
  write({ paths, statusCode, target }, { website: { caseSensitive, query } }) {
    if (query === 'pass' && target.fragment !== '') return withFragment('Vercel');
    const destination = target.base + target.fragment;
    const rule = { destination, statusCode, caseSensitive, query: query === 'pass' };
    return paths.map((source) => JSON.stringify({ source, ...rule })).join(',\n');
  },
  comment: (text) => JSON.stringify({ '//': text }),
  separator: ',\n',
  tail: () => '\n]\n',
});

/**
 * The CSV of a Bulk Redirect List, without a header. Sources need a host, so each rule has a line for each host of the
 * environment. Targets must be absolute, so a path is on the same host.
 */
export const cloudflareFormat = listFormat({
  name: 'Cloudflare',
  statuses: [301, 302, 307, 308],
  siteProblem({ website, hosts, environment }) {
    if (hosts.length === 0) return `Cloudflare needs a host, but the website has none for ${environment}; add one`;
    const wildcard = hosts.find(isWildcard);
    if (wildcard !== undefined)
      return `Cloudflare's lists have no ${wildcard} without ${baseOf(wildcard)}; list the names as hosts, or use another format`;
    if (website.query === 'exact') return "Cloudflare ignores queries, but the website's option query is exact";
    return caseProblem('Cloudflare', website.caseSensitive);
  },
  write({ paths, statusCode, target }, { website, hosts }) {
    const passes = website.query === 'pass';
    if (passes && target.fragment !== '') return withFragment('Cloudflare');
    const location = target.base + target.fragment;
    const flags = `${passes ? 'TRUE' : 'FALSE'},FALSE,FALSE,FALSE`;
    const line = (host: string, path: string): string =>
      `${csvCell(`https://${host}${path}`)},${csvCell(isAbsolute(location) ? location : `https://${host}${location}`)},${statusCode},${flags}\n`;
    return hosts.flatMap((host) => paths.map((path) => line(host, path))).join('');
  },
  comment: (text) => `${csvCell(`# ${text}`)}\n`,
});
