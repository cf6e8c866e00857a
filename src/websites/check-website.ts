import { type Environment, inEnvironmentOrder } from '../vocabulary/environment.ts';
import { invalid, type Issue, validationError } from '../vocabulary/error.ts';
import { normaliseHostname } from './hostname.ts';
import type { ServiceHosts } from './service-hosts.ts';
import type { WebsiteHost, WebsiteOptions } from './website.ts';

const MAX_HOSTS = 100;

/** The fields that a client may set; all are optional in a change. */
export type WebsiteInput = { [Field in keyof WebsiteOptions]?: WebsiteOptions[Field] | undefined } & {
  name?: string | undefined;
  hosts?: WebsiteHost[] | undefined;
};

/**
 * Returns the input with normalized hosts. Throws VALIDATION_ERROR with every issue. Rejects reserved
 * hosts, which always reach the service.
 */
export function checkWebsite(input: WebsiteInput, { isReserved }: Pick<ServiceHosts, 'isReserved'>): WebsiteInput {
  const issues: Issue[] = [];
  const hosts = input.hosts && checkHosts(input.hosts, isReserved, issues);
  const allowedTargetHosts = input.allowedTargetHosts && checkTargetHosts(input.allowedTargetHosts, issues);
  if (typeof input.fallbackUrl === 'string') checkFallbackUrl(input.fallbackUrl, issues);
  const gatedEnvironments = input.gatedEnvironments && checkGated(input.gatedEnvironments, issues);
  if (issues.length > 0) throw validationError(issues);
  return {
    ...input,
    ...(hosts && { hosts }),
    ...(allowedTargetHosts && { allowedTargetHosts }),
    ...(gatedEnvironments && { gatedEnvironments }),
  };
}

function checkGated(environments: Environment[], issues: Issue[]): Environment[] {
  const unique = inEnvironmentOrder(environments);
  const message = 'an environment is listed twice; list each once';
  if (unique.length < environments.length)
    issues.push({ path: 'gated_environments', code: 'INVALID_ENVIRONMENT', message });
  return unique;
}

function checkHosts(hosts: WebsiteHost[], isReserved: ServiceHosts['isReserved'], issues: Issue[]): WebsiteHost[] {
  checkCount('hosts', hosts, issues);
  const seen = new Set<string>();
  return hosts.map(({ hostname, environment }, index) => {
    const report = (message: string): unknown =>
      issues.push({ path: `hosts[${index}].hostname`, code: 'VALIDATION_ERROR', message });
    const normal = normaliseHostname(hostname);
    if (normal === undefined) {
      report(
        `${JSON.stringify(hostname)} is not a hostname: write it without scheme, port and path, such as www.example.com; IP addresses are not allowed`,
      );
      return { hostname, environment };
    }
    if (isReserved(normal)) report(`${normal} is a host of this service; use another hostname, such as demo.localhost`);
    if (seen.has(normal)) report(`${normal} is listed twice; a hostname serves one environment`);
    seen.add(normal);
    return { hostname: normal, environment };
  });
}

function checkTargetHosts(hosts: string[], issues: Issue[]): string[] {
  checkCount('allowed_target_hosts', hosts, issues);
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

function checkCount(path: string, list: unknown[], issues: Issue[]): void {
  const message = `at most ${MAX_HOSTS} entries; this list has ${list.length}`;
  if (list.length > MAX_HOSTS) issues.push({ path, code: 'TOO_MANY_ITEMS', message });
}

function checkFallbackUrl(url: string, issues: Issue[]): void {
  const report = (message: string): void => {
    issues.push({ path: 'fallback_url', code: 'VALIDATION_ERROR', message });
  };
  if (url.length > 2_048) return report('at most 2,048 characters');
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(url) || url.includes('\\') || !URL.canParse(url)) {
    return report('must be an http or https URL in ASCII, such as https://www.example.com');
  }
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '') return report('must not contain a user name or password');
  if (url.includes('?') || url.includes('#')) {
    return report("must not contain a query or fragment: the request's path and query are appended to it");
  }
}

/** Throws VALIDATION_ERROR if the fallback is a host of the website: unmatched paths would redirect in a loop. */
export function checkFallbackIsElsewhere(fallbackUrl: string | null, hosts: WebsiteHost[]): void {
  if (fallbackUrl === null) return;
  const host = normaliseHostname(new URL(fallbackUrl).hostname);
  if (!hosts.some((own) => own.hostname === host)) return;
  throw invalid('fallback_url', `${host} is a host of this website: unmatched paths would redirect in a loop`);
}
