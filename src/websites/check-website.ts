import { type Environment, inEnvironmentOrder } from '../vocabulary/environment.ts';
import { invalid, type Issue, validationError } from '../vocabulary/error.ts';
import { hostTableOf } from '../resolver/host-table.ts';
import { canonicalName } from '../resolver/spelling/query.ts';
import { baseUrlProblem, checkCount, type CheckedHost, checkHosts } from './check-hosts.ts';
import { asciiUrl, normaliseHostname } from './hostname.ts';
import type { ServiceHosts } from './service-hosts.ts';
import type { WebsiteHost, WebsiteOptions } from './website.ts';

const MAX_TARGET_HOSTS = 100;
const MAX_PAGE_PARAMETERS = 50;
const MAX_PARAMETER_BYTES = 100;
const MAX_SITEMAPS = 20;
const MAX_SITEMAP_BYTES = 2_048;

/** The fields that a client may set; all are optional in a change. */
export type WebsiteInput = { [Field in keyof WebsiteOptions]?: WebsiteOptions[Field] | undefined } & {
  name?: string | undefined;
  hosts?: WebsiteHost[] | undefined;
};

type CheckedWebsite = Omit<WebsiteInput, 'hosts'> & { hosts?: CheckedHost[] | undefined };

/**
 * Returns the input with normalized hosts. Throws VALIDATION_ERROR with every issue. Rejects reserved
 * hosts, which always reach the service.
 */
export function checkWebsite(input: WebsiteInput, { isReserved }: Pick<ServiceHosts, 'isReserved'>): CheckedWebsite {
  const issues: Issue[] = [];
  const hosts = input.hosts && checkHosts(input.hosts, isReserved, issues);
  const allowedTargetHosts = input.allowedTargetHosts && checkTargetHosts(input.allowedTargetHosts, issues);
  const fallbackUrl = typeof input.fallbackUrl === 'string' ? asciiUrl(input.fallbackUrl) : input.fallbackUrl;
  const problem = typeof fallbackUrl === 'string' ? baseUrlProblem(fallbackUrl) : undefined;
  if (problem !== undefined) issues.push({ path: 'fallback_url', code: 'VALIDATION_ERROR', message: problem });
  const gatedEnvironments =
    input.gatedEnvironments && checkGated('gated_environments', input.gatedEnvironments, issues);
  const urlGate = input.urlGate && checkGated('url_gate', input.urlGate, issues);
  const pageParameters = input.pageParameters && checkPageParameters(input.pageParameters, issues);
  if (input.sitemapUrls) checkSitemaps(input.sitemapUrls, issues);
  if (issues.length > 0) throw validationError(issues);
  return {
    ...input,
    fallbackUrl,
    hosts,
    ...(allowedTargetHosts && { allowedTargetHosts }),
    ...(gatedEnvironments && { gatedEnvironments }),
    ...(urlGate && { urlGate }),
    ...(pageParameters && { pageParameters }),
  };
}

function checkGated(path: string, environments: Environment[], issues: Issue[]): Environment[] {
  const unique = inEnvironmentOrder(environments);
  const message = 'an environment is listed twice; list each once';
  if (unique.length < environments.length) issues.push({ path, code: 'INVALID_ENVIRONMENT', message });
  return unique;
}

/** Returns the canonical names. */
function checkPageParameters(names: string[], issues: Issue[]): string[] {
  checkCount('page_parameters', names, MAX_PAGE_PARAMETERS, issues);
  for (const [index, name] of names.entries()) {
    if (name !== '' && Buffer.byteLength(name) <= MAX_PARAMETER_BYTES && !/[&=#?\p{Cc}\p{Cs}]/u.test(name)) continue;
    const message = `${JSON.stringify(name)} is not the name of a query parameter: write it without =, such as id`;
    issues.push({ path: `page_parameters[${index}]`, code: 'VALIDATION_ERROR', message });
  }
  return [...new Set(names.map(canonicalName))];
}

function checkSitemaps(addresses: string[], issues: Issue[]): void {
  checkCount('sitemap_urls', addresses, MAX_SITEMAPS, issues);
  for (const [index, address] of addresses.entries()) {
    const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
    if (url && url.username === '' && url.password === '' && Buffer.byteLength(address) <= MAX_SITEMAP_BYTES) continue;
    const message = `${JSON.stringify(address)} is not the address of a sitemap: write it with http or https and without a user, such as https://www.example.com/sitemap.xml`;
    issues.push({ path: `sitemap_urls[${index}]`, code: 'VALIDATION_ERROR', message });
  }
}

/** Throws VALIDATION_ERROR if a sitemap is not on a host of the website. */
export function checkSitemapHosts(addresses: readonly string[], hosts: readonly WebsiteHost[]): void {
  const table = hostTableOf(hosts);
  for (const [index, address] of addresses.entries()) {
    const host = normaliseHostname(URL.parse(address)?.hostname ?? '');
    if (host !== undefined && table.find(host)) continue;
    const message = `${host ?? address} is not a host of this website: add the host, or fetch the sitemap with detour urls push`;
    throw invalid(`sitemap_urls[${index}]`, message);
  }
}

function checkTargetHosts(hosts: string[], issues: Issue[]): string[] {
  checkCount('allowed_target_hosts', hosts, MAX_TARGET_HOSTS, issues);
  const normal = hosts.map((host, index) => {
    const name = normaliseHostname(host);
    if (name === undefined) {
      const message = `${JSON.stringify(host)} is not a hostname: write it without scheme, port and path, such as shop.example.com`;
      issues.push({ path: `allowed_target_hosts[${index}]`, code: 'VALIDATION_ERROR', message });
    }
    return name ?? host;
  });
  return [...new Set(normal)];
}

/** Throws VALIDATION_ERROR if the fallback is a host of the website: unmatched paths would redirect in a loop. */
export function checkFallbackIsElsewhere(fallbackUrl: string | null, hosts: readonly WebsiteHost[]): void {
  if (fallbackUrl === null) return;
  const host = normaliseHostname(new URL(fallbackUrl).hostname);
  if (host === undefined || !hostTableOf(hosts).find(host)) return;
  throw invalid('fallback_url', `${host} is a host of this website: unmatched paths would redirect in a loop`);
}
