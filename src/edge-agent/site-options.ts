/** The options of a feed in the form of the registry (deployments/live/site-registry.ts). */
import type { Site } from '../deployments/live/site-registry.ts';
import type { FeedHost, FeedOptions } from '../feed-client/feed-lines.ts';
import type { Environment } from '../vocabulary/environment.ts';

export function siteOptions({
  case_sensitive: caseSensitive,
  trailing_slash: trailingSlash,
  query,
  fallback_url: fallbackUrl,
  allowed_target_hosts: allowedTargetHosts,
}: FeedOptions): Omit<Site, 'id' | 'accountId' | 'hosts'> {
  return { caseSensitive, trailingSlash, query, fallbackUrl, allowedTargetHosts };
}

/** A host, which may be a wildcard, and may redirect as a whole. */
export function siteHost(
  { hostname, redirect_to: redirect }: FeedHost,
  environment: Environment,
): Site['hosts'][number] {
  if (!redirect) return { hostname, environment };
  const { url, status_code: statusCode, keep_path: keepPath } = redirect;
  return { hostname, environment, redirectTo: { url, statusCode, keepPath } };
}
