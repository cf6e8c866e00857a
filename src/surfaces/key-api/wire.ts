/** How surface A writes what surface C writes too: ids are strings, lists are arrays. */
import { type Deployment, sourceOf } from '../../deployments/deployment.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { Website } from '../../websites/website.ts';

export function websiteBody(website: Website) {
  return {
    id: String(website.id),
    name: website.name,
    hosts: website.hosts,
    case_sensitive: website.caseSensitive,
    trailing_slash: website.trailingSlash,
    query: website.query,
    fallback_url: website.fallbackUrl,
    allowed_target_hosts: website.allowedTargetHosts,
    auto_deploy: website.autoDeploy,
    held_environments: website.heldEnvironments,
    on_loop: website.onLoop,
    created_at: isoSeconds(website.createdAt),
    updated_at: isoSeconds(website.updatedAt),
  };
}

export function deploymentBody(deployment: Deployment) {
  const { added, changed, removed } = deployment;
  return {
    id: deployment.id,
    website_id: String(deployment.websiteId),
    environment: deployment.environment,
    kind: deployment.kind,
    status: deployment.status,
    source: sourceOf(deployment),
    version: deployment.version,
    redirect_count: deployment.redirectCount,
    changes: added === null || changed === null || removed === null ? null : { added, changed, removed },
    warnings: deployment.warnings,
    created_at: isoSeconds(deployment.createdAt),
    started_at: deployment.startedAt && isoSeconds(deployment.startedAt),
    deployed_at: deployment.deployedAt && isoSeconds(deployment.deployedAt),
    error: deployment.error,
  };
}
