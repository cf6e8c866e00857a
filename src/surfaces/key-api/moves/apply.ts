import { z } from 'zod';
import { requireRole } from '../../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { STATUS_CODES, statusHasTarget } from '../../../vocabulary/status-code.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { appliedBody, appliedFields, environmentsOf, groupOf } from './apply-wire.ts';
import { examplePath, MOVE, moveParams, movePlace, warnings } from './move-wire.ts';

const REDIRECTS = STATUS_CODES.filter(statusHasTarget).map((code) => z.literal(code));

export const statusCode = z
  .union(REDIRECTS)
  .default(301)
  .describe('The status of redirects without one: 301 (default), 302, 303, 307 or 308.');

const AppliedMove = z.object({
  ...appliedFields,
  warnings,
});

/** POST /moves/{move_id}/apply. */
export function applyMoveRoute(api: Api, { jobs, committed }: SurfaceDeps): void {
  api.post(`${MOVE}/apply`, {
    config: { role: 'viewer', forDashboard: true },
    operationId: 'applyMoveV1',
    tag: 'Moves (key API)',
    summary: 'Apply a move',
    description:
      'Writes the decided rows and the rules of the move as one import: redirects, 410 for gone rows, and an expectation for each. One undo reverts all of it. Rows that the current rules answer as decided are left out, so another apply writes only new ones. Rows that cannot be written are conflicts; the rest is written. A dry run needs only a read key.',
    returns: 'What was written, and what was not.',
    errors: [
      'WEBSITE_NOT_FOUND',
      'MOVE_NOT_FOUND',
      'VALIDATION_ERROR',
      'PLAN_LIMIT_EXCEEDED',
      'REVISION_CHANGED',
      'BUSY',
      ...keyDialect.roleErrors,
    ],
    example: { path: examplePath, body: { group_id: 'relaunch', dry_run: true } },
    params: moveParams,
    body: bodyObject({
      target_environments: keyDialect.environments.input.optional(),
      group_id: z.string().nullable().optional().describe('The group of new redirects.'),
      status_code: statusCode,
      expectations: z
        .boolean()
        .default(true)
        .describe('Each answered URL becomes an expectation in each environment. Default true.'),
      on_conflict: z
        .enum(['update'])
        .optional()
        .describe('`update`: existing redirects with another target are changed. Default: they are conflicts.'),
      flatten: z
        .boolean()
        .default(false)
        .describe('Older redirects to decided URLs lead to the new targets, in the same change. Default false.'),
      dry_run: z.boolean().default(false).describe('Shows what would happen and changes nothing. Default false.'),
    }),
    response: { 200: AppliedMove },
    async handler({ actor, params, body }) {
      if (!body.dryRun) requireRole(actor, 'editor');
      const options = {
        ...body,
        environments: environmentsOf(body.targetEnvironments),
        groupId: groupOf(body.groupId),
        replaces: body.onConflict === 'update',
      };
      const applied = await jobs.applyMove(actor, { ...movePlace(params), options });
      committed();
      return { ...appliedBody(applied), warnings: applied.warnings };
    },
  });
}
