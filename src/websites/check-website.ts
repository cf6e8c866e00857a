import { type Environment, inEnvironmentOrder } from '../vocabulary/environment.ts';
import { invalid, type Issue, validationError } from '../vocabulary/error.ts';
import { hostTableOf } from '../resolver/host-table.ts';
import { baseUrlProblem, checkCount, type CheckedHost, checkHosts } from './check-hosts.ts';
import { asciiUrl, normaliseHostname } from './hostname.ts';
import type { ServiceHosts } from './service-hosts.ts';
import type { WebsiteHost, WebsiteOptions } from './website.ts';

const MAX_TARGET_HOSTS = 100;

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
  const gatedEnvironments = input.gatedEnvironments && checkGated(input.gatedEnvironments, issues);
  if (issues.length > 0) throw validationError(issues);
  return {
    ...input,
    fallbackUrl,
    hosts,
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
