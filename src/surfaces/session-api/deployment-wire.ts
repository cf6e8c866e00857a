import { z } from 'zod';
import { type Deployment, sourceOf } from '../../deployments/publish/deployment.ts';
import { diffSchema } from '../../http/diff-json.ts';
import { Timestamp } from '../../http/fields.ts';
import { EnvironmentName } from './website-wire.ts';

export const DeploymentBody = z
  .object({
    id: z.string(),
    website_id: z.int(),
    environment: EnvironmentName,
    kind: z.enum(['automatic', 'explicit', 'rollback', 'promote']),
    status: z.enum(['queued', 'running', 'completed', 'failed']),
    source: z.object({ environment: EnvironmentName, version: z.int() }).nullable(),
    version: z.int().nullable(),
    redirect_count: z.int().nullable(),
    changes: z.object({ added: z.int(), changed: z.int(), removed: z.int() }).nullable(),
    warnings: z.array(z.object({ code: z.string(), old_paths: z.array(z.string()) })),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    deployed_at: Timestamp.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Deployment' });

/** What diffJson writes for this surface. */
export const DiffBody = diffSchema(z.int()).meta({ id: 'DeploymentDiff' });

/** A deployment as surface C answers it: integer website id; what is not known before its end is null. */
export function deploymentBody(deployment: Deployment): z.output<typeof DeploymentBody> {
  const { added, changed, removed } = deployment;
  return {
    id: deployment.id,
    website_id: deployment.websiteId,
    environment: deployment.environment,
    kind: deployment.kind,
    status: deployment.status,
    source: sourceOf(deployment),
    version: deployment.version,
    redirect_count: deployment.redirectCount,
    changes: added === null || changed === null || removed === null ? null : { added, changed, removed },
    warnings: deployment.warnings,
    created_at: deployment.createdAt,
    started_at: deployment.startedAt,
    deployed_at: deployment.deployedAt,
    error: deployment.error,
  };
}
