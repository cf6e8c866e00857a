import { z } from 'zod';
import { requireRole } from '../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, EnvironmentName, part } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { restoredBody, restoredCounts, restoredFields } from './changes.ts';
import type { Dialect } from './dialect.ts';
import { someRedirects } from './redirects/selection.ts';

/** POST /websites/{id}/discard. */
export function discardRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const Discard = z.object({
    discard: part('What the discard did, or would do.', restoredCounts),
    ...restoredFields(dialect),
  });
  app.post('/websites/:id/discard', {
    config: { role: 'viewer' },
    ...dialect.operation('discardChanges', 'changes'),
    summary: 'Discard changes that are not deployed',
    description:
      'Takes back what waits for a deployment to an environment. Each redirect whose rule there differs from the live version gets back its fields, times and id of that version, its other environments included, or is deleted if it was created since. The discard is a change, so it can be undone. It requires the role editor or a write key; a dry run does not.',
    returns: 'What was discarded, and what was not.',
    errors: ['WEBSITE_NOT_FOUND', 'CONFLICT', 'PLAN_LIMIT_EXCEEDED', 'BUSY', ...dialect.roleErrors],
    example: { path: { id: dialect.writeId(1) }, body: { environment: 'production', dry_run: true } },
    params: z.object({ id: dialect.websiteId.path }),
    body: bodyObject({
      environment: EnvironmentName.describe('The environment whose live version the redirects return to.'),
      redirect_ids: someRedirects(dialect, 'do not differ'),
      dry_run: z.boolean().optional().describe('Reports what would happen and changes nothing. Default false.'),
    }),
    response: { 200: Discard },
    async handler({ actor, params: { id }, body: { environment, redirectIds, dryRun = false } }) {
      if (!dryRun) requireRole(actor, 'editor');
      const done = await deps.jobs.discardChanges(actor, {
        websiteId: dialect.websiteId.read(id),
        environment,
        redirectIds: redirectIds?.map((each) => dialect.redirectId.read(each)),
        dryRun,
      });
      if (!dryRun) deps.committed();
      const { counts, ...rest } = restoredBody(done);
      return { discard: counts, ...rest };
    },
  });
}
