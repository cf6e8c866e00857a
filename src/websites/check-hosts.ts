/** The rules of the hosts of a website that need no database. */
import type { DomainRedirect } from '../resolver/own-hosts.ts';
import { DomainError, type Issue } from '../vocabulary/error.ts';
import { DOMAIN_REDIRECT_STATUSES } from '../vocabulary/status-code.ts';
import { asciiUrl, normaliseHost } from './hostname.ts';
import type { ServiceHosts } from './service-hosts.ts';
import { MAX_HOSTS, type WebsiteHost } from './website.ts';

/** A host in the form that is stored. */
export type CheckedHost = WebsiteHost & { redirectTo: DomainRedirect | null };

/** Returns the hosts in the form that is stored. Adds what is wrong to `issues`. */
export function checkHosts(
  hosts: readonly WebsiteHost[],
  isReserved: ServiceHosts['isReserved'],
  issues: Issue[],
): CheckedHost[] {
  checkCount('hosts', hosts, MAX_HOSTS, issues);
  if (hosts.length > MAX_HOSTS) return [];
  return hosts.map(createHostCheck(isReserved, issues));
}

/** Returns a check of one host after another, which returns its stored form. A removed host may be listed twice. */
export function createHostCheck(
  isReserved: ServiceHosts['isReserved'],
  issues: Issue[],
  { isRemoval = false } = {},
): (host: WebsiteHost, index: number) => CheckedHost {
  const seen = new Set<string>();
  return (host, index) => {
    const report = (field: string, message: string, code: Issue['code'] = 'VALIDATION_ERROR'): void => {
      issues.push({ path: isRemoval ? `hosts[${index}]` : `hosts[${index}].${field}`, code, message });
    };
    const redirectTo = host.redirectTo ? { ...host.redirectTo, url: asciiUrl(host.redirectTo.url) } : null;
    if (redirectTo) checkDomainRedirect(redirectTo, report);
    const hostname = normaliseHost(host.hostname);
    if (hostname === undefined) report('hostname', notHostname(host.hostname));
    else {
      if (isReserved(hostname))
        report('hostname', `${hostname} is a host of this service; use another hostname, such as demo.localhost`);
      if (seen.has(hostname) && !isRemoval)
        report('hostname', `${hostname} is listed twice; a hostname serves one environment`);
      seen.add(hostname);
    }
    return { hostname: hostname ?? host.hostname, environment: host.environment, redirectTo };
  };
}

const notHostname = (text: string): string =>
  text.startsWith('*.')
    ? `${JSON.stringify(text)} is not a wildcard: write *. before a name of at least two labels, such as *.example.com`
    : `${JSON.stringify(text)} is not a hostname: write it without scheme, port and path, such as www.example.com or *.example.com; IP addresses are not allowed`;

function checkDomainRedirect(
  { url, statusCode }: DomainRedirect,
  report: (field: string, message: string, code?: Issue['code']) => void,
): void {
  const problem = baseUrlProblem(url);
  if (problem !== undefined) report('redirect_to.url', problem);
  if (DOMAIN_REDIRECT_STATUSES.includes(statusCode)) return;
  report('redirect_to.status_code', `must be one of ${DOMAIN_REDIRECT_STATUSES.join(', ')}`, 'INVALID_STATUS_CODE');
}

export function tooManyHosts(has = 'this list has more'): DomainError {
  const details = `hosts: at most ${MAX_HOSTS.toLocaleString('en')}; ${has}`;
  return new DomainError('TOO_MANY_ITEMS', 'There are too many hosts', { details });
}

/** The reason why a URL cannot have the path and query of a request appended, in words; undefined if it can. */
export function baseUrlProblem(url: string): string | undefined {
  if (url.length > 2_048) return 'at most 2,048 characters';
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(url) || url.includes('\\') || !URL.canParse(url)) {
    return 'must be an http or https URL, such as https://www.example.com';
  }
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a user name or password';
  if (url.includes('?') || url.includes('#')) {
    return "must not contain a query or fragment: the request's path and query are appended to it";
  }
  return undefined;
}

export function checkCount(path: string, list: readonly unknown[], max: number, issues: Issue[]): void {
  const message = `at most ${max.toLocaleString('en')} entries; this list has ${list.length}`;
  if (list.length > max) issues.push({ path, code: 'TOO_MANY_ITEMS', message });
}
