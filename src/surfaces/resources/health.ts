import { z } from 'zod';
import { LEFT } from '../../health/flat-target.ts';
import type { Flattened } from '../../health/flatten.ts';
import { requireRole } from '../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, changeId, EnvironmentName, queryObject, listOf, staleness } from '../../http/wire/fields.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/wire/zod.ts';
import type { Dialect, Wire } from './dialect.ts';
import { healthSchema } from './health-report.ts';
import { healthTargetRoute } from './health-targets.ts';
import { someRedirects } from './redirects/selection.ts';

const Query = queryObject({
  environment: EnvironmentName.default('production').describe('The environment. Default `production`.'),
  cursor: z.string().optional().describe('The `next_cursor` of the previous page. Send it with the same parameters.'),
  ...staleness,
});
const Reasons = Object.keys(LEFT);

export function flattenedSchema<W extends Wire>({ id }: Dialect<W>) {
  const redirect_id = id.describe('The id of the redirect at the start of the chain.');
  return z.object({
    updated: z.int().describe('The number of redirects that now have the final target.'),
    left_count: z.int().describe('The number of chains left unchanged.'),
    left: listOf('The first 1,000 chains left unchanged.', {
      redirect_id,
      reason: z.enum(Reasons).describe('A code for why the chain is unchanged.'),
      message: z.string().describe('Why the chain is unchanged.'),
    }),
    changes: listOf('Present for a dry run: the first 1,000 changes by id; `updated` is their number.', {
      redirect_id,
      old_path: z.string().describe('Its path.'),
      before: z.string().nullable().describe('Its target.'),
      after: z.string().describe('Its target after flattening.'),
    }).optional(),
    change_id: changeId,
    message: z.string().describe('A human-readable summary.'),
  });
}

/** GET /websites/{id}/health, .../health/targets, POST .../health/flatten. */
export function healthRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  healthTargetRoute(app, deps, dialect);
  const { path, read } = dialect.websiteId;
  const Params = z.object({ id: path });
  app.get('/websites/:id/health', {
    config: { role: 'viewer', gives: { 'application/json': healthSchema(dialect) } },
    exposeHeadRoute: false,
    ...dialect.operation('getHealthReport', 'health'),
    summary: 'Report loops, chains and dead rules',
    description:
      'Covers the rules that the next deployment would publish. Returns up to 1,000 findings of each kind; `cursor` returns more. A process runs one report at a time; other calls wait.',
    returns: 'Exact totals and the findings.',
    errors: ['WEBSITE_NOT_FOUND', 'BUSY'],
    example: { path: { id: dialect.writeId(1) } },
    params: Params,
    querystring: Query,
    async handler({ actor, params, query }, reply) {
      const { environment, cursor, maxStaleness } = query;
      const isStandby = deps.reads.isFromStandby(maxStaleness);
      const input = { websiteId: read(params.id), environment, cursor, isStandby };
      const report = (leftMs: number) => deps.jobs.healthReport(actor, input, dialect.surface, leftMs);
      return sendStream(reply.type('application/json; charset=utf-8'), deps.streamShares.jobs(actor), report);
    },
  });

  app.post('/websites/:id/health/flatten', {
    config: { role: 'viewer' },
    ...dialect.operation('flattenChains', 'health'),
    summary: 'Flatten chains',
    description:
      'Gives each redirect at the start of a chain the final target if every visitor still ends at the same place. Applies all changes or none. Flattening requires the role editor, or a write key; a viewer or a read key may make a dry run.',
    returns: 'The number of changed redirects, and why other chains stay.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'BUSY', ...dialect.roleErrors],
    example: { path: { id: dialect.writeId(1) }, body: { environment: 'production', dry_run: true } },
    params: Params,
    body: bodyObject({
      environment: EnvironmentName.describe('The environment.'),
      redirect_ids: someRedirects(dialect, 'do not begin a chain'),
      dry_run: z.boolean().optional().describe('Reports what would happen and changes nothing. Default false.'),
    }),
    response: { 200: flattenedSchema(dialect) },
    async handler({ actor, params, body: { environment, redirectIds: ids, dryRun = false } }) {
      const redirectIds = ids?.map((each) => dialect.redirectId.read(each));
      const input = { websiteId: read(params.id), environment, redirectIds, dryRun };
      if (!input.dryRun) requireRole(actor, 'editor');
      const inShare = deps.streamShares.jobs(actor);
      const flattened = await inShare((leftMs) => deps.jobs.flattenChains(actor, input, leftMs));
      if (!input.dryRun) deps.committed();
      return flattenedBody(flattened, input.dryRun);
    },
  });
}

function flattenedBody({ left, changes, ...flattened }: Flattened, dryRun: boolean) {
  const { updated, leftCount } = flattened;
  const redirects = updated === 1 ? '1 redirect' : `${updated} redirects`;
  const chains = leftCount === 1 ? '1 chain' : `${leftCount} chains`;
  return {
    ...flattened,
    left: left.map(({ id, value }) => ({ redirectId: id, reason: value, message: LEFT[value] })),
    ...(dryRun && { changes: changes.map(({ id, ...change }) => ({ redirectId: id, ...change })) }),
    message: `${redirects} ${dryRun ? 'would be updated' : 'updated'}, ${chains} left`,
  };
}
