import { z } from 'zod';
import { createUndeployedCounts, readEnvironmentStates } from '../../../deployments/publish/versions/undeployed.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { EnvironmentName, component, part } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import type { Dialect } from '../dialect.ts';

const EnvironmentState = component('EnvironmentState', {
  environment: EnvironmentName.describe('The environment.'),
  live_version: z.int().describe('The live version; 0 before the first deployment.'),
  redirect_count: z.int().describe('The number of live rules.'),
  waiting_changes: z
    .int()
    .describe(
      'The changes that a deployment would publish: rules that it would add, change or remove. On large websites up to 2 minutes old.',
    ),
  live_only: z
    .int()
    .describe(
      'Of the waiting changes: rules that are live only by a promotion, because no redirect targets the environment. The next deployment removes them.',
    ),
  differences: z.int().describe('The other waiting changes.'),
  held: z.boolean().describe('Whether automatic deployments stop until the next explicit one.'),
  deploying: z.boolean().describe('Whether a deployment is queued or running.'),
  failed_deployment: part('The last deployment that ended, if it failed; otherwise null.', {
    id: z.string().describe('The id of the deployment, `dep_...`.'),
    error: z.string().describe('Why it failed.'),
  }).nullable(),
});

/** The body of GET /websites/{id}/environments. */
export const EnvironmentStates = z.object({
  environments: z.array(EnvironmentState).describe('Production, staging and development.'),
});

export function environmentStatesRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const { path, read } = dialect.websiteId;
  const counts = createUndeployedCounts();
  app.get('/websites/:id/environments', {
    ...dialect.operation('listEnvironmentStates', 'deployments'),
    summary: 'List what is live and what waits',
    description:
      'The live version of each environment, how many changes wait for a deployment, and whether the last deployment failed.',
    returns: 'The environments.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: dialect.writeId(1) } },
    params: z.object({ id: path }),
    response: { 200: EnvironmentStates },
    async handler({ actor, params }) {
      const states = await readEnvironmentStates(db, actor, read(params.id), counts);
      return {
        environments: states.map(({ waiting, isDeploying, failed, ...state }) => ({
          ...state,
          waitingChanges: waiting,
          differences: waiting - state.liveOnly,
          deploying: isDeploying,
          failedDeployment: failed,
        })),
      };
    },
  });
}
