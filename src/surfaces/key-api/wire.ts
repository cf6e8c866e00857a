/** How surface A writes what surface C writes too: ids are strings, lists are arrays. */
import { z } from 'zod';
import { type Deployment, sourceOf } from '../../deployments/publish/deployment.ts';
import { WrittenTime } from '../../http/fields.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { Website } from '../../websites/website.ts';

export const EnvironmentName = z.enum(ENVIRONMENTS);

export const WebsiteBody = z
  .object({
    id: z.string(),
    name: z.string(),
    hosts: z.array(z.object({ hostname: z.string(), environment: EnvironmentName })),
    case_sensitive: z.boolean(),
    trailing_slash: z.enum(['ignore', 'exact']),
    query: z.enum(['pass', 'drop', 'exact']),
    fallback_url: z.string().nullable(),
    allowed_target_hosts: z.array(z.string()),
    auto_deploy: z.boolean(),
    held_environments: z.array(EnvironmentName),
    on_loop: z.enum(['warn', 'fail']),
    created_at: WrittenTime,
    updated_at: WrittenTime,
  })
  .meta({ id: 'WebsiteV1' });

export const DeploymentBody = z
  .object({
    id: z.string(),
    website_id: z.string(),
    environment: EnvironmentName,
    kind: z.enum(['automatic', 'explicit', 'rollback', 'promote']),
    status: z.enum(['queued', 'running', 'completed', 'failed']),
    source: z.object({ environment: EnvironmentName, version: z.int() }).nullable(),
    version: z.int().nullable(),
    redirect_count: z.int().nullable(),
    changes: z.object({ added: z.int(), changed: z.int(), removed: z.int() }).nullable(),
    warnings: z.array(z.object({ code: z.string(), old_paths: z.array(z.string()) })),
    created_at: WrittenTime,
    started_at: WrittenTime.nullable(),
    deployed_at: WrittenTime.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'DeploymentV1' });

export function websiteBody(website: Website): z.output<typeof WebsiteBody> {
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

export function deploymentBody(deployment: Deployment): z.output<typeof DeploymentBody> {
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
