import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import type { ErrorCode } from '../../../vocabulary/error.ts';
import type { OperationText, OperationTexts, Tag } from '../operation-text.ts';

const ASK: readonly ErrorCode[] = ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'BUSY'];
const VERSION: readonly ErrorCode[] = ['VERSION_NOT_FOUND', 'VERSION_EXPIRED'];
const HOLDS =
  'The redirects themselves stay as they are, so the environment is held: nothing is deployed there by itself until the next deployment by call.';

export const DEPLOYMENT_TEXTS: OperationTexts = {
  ...deployments('/api/deployments', { tag: 'Deployments', suffix: '', websiteId: 1 }),
  ...deployments('/api/v1/deployments', { tag: 'Deployments (key API)', suffix: 'V1', websiteId: '1' }),
};

/** Both surfaces have the same operations; ids are integers on one and strings on the other. */
function deployments(
  at: string,
  { tag, suffix, websiteId }: { tag: Tag; suffix: string; websiteId: number | string },
): OperationTexts {
  const said = (id: string, text: Omit<OperationText, 'id' | 'tag'>) => ({ id: id + suffix, tag, ...text });
  return {
    [`POST ${at}`]: said('deploy', {
      summary: 'Deploy an environment',
      text: 'Publishes the redirects as they are now, and ends a hold.',
      answer: 'The deployment is queued; it is live when its status is `completed`.',
      errors: ASK,
      example: { body: { website_id: websiteId, environment: 'staging' } },
    }),
    [`GET ${at}`]: said('listDeployments', {
      summary: 'List deployments',
      answer: 'Deployments, newest first.',
      errors: ['WEBSITE_NOT_FOUND'],
      example: { query: { website_id: websiteId, environment: 'staging', limit: 1 } },
    }),
    [`GET ${at}/:id`]: said('getDeployment', {
      summary: 'Show a deployment',
      answer: 'The deployment.',
      errors: ['DEPLOYMENT_NOT_FOUND', 'NOT_FOUND'],
      example: { path: { id: EXAMPLE_IDS.deployment } },
    }),
    [`GET ${at}/diff`]: said('diffDeployment', {
      summary: 'What a deployment would change',
      text: 'The redirects as they are now against what is live: up to 1,000 entries of each kind, further ones by `cursor`, exact counts.',
      answer: 'What would be added, changed and removed.',
      errors: ['WEBSITE_NOT_FOUND'],
      example: { query: { website_id: websiteId, environment: 'development' } },
    }),
    [`POST ${at}/rollback`]: said('rollBack', {
      summary: 'Roll back to a version',
      text: `The rules of an earlier version become the next version. ${HOLDS} The last 100 versions and all of 90 days are kept.`,
      answer: 'The deployment is queued.',
      errors: [...ASK, ...VERSION],
      example: { body: { website_id: websiteId, environment: 'staging', version: 1 } },
    }),
    [`POST ${at}/promote`]: said('promote', {
      summary: 'Promote an environment',
      text: `What is live in one environment becomes the next version of another. ${HOLDS}`,
      answer: 'The deployment is queued.',
      errors: ASK,
      example: { body: { website_id: websiteId, from: 'staging', to: 'development' } },
    }),
  };
}
