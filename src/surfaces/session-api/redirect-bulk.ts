import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject } from '../../http/fields.ts';
import { RULE_ERRORS } from '../../http/route-docs.ts';
import type { Api } from '../../http/zod.ts';
import { bulkDeleteRedirects, bulkUpdateRedirects } from '../../redirects/write/bulk.ts';
import type { Selection } from '../../redirects/write/selection.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { sessionDialect } from '../resources/dialect.ts';
import { filterSchema } from '../resources/redirects/filter.ts';
import { eventFilter, readSelection } from '../resources/redirects/selection.ts';
import { redirectChange, redirectFields } from '../resources/redirects/wire.ts';

const SELECTION =
  'Select the redirects by `redirectIds` (1 to 10,000), or by a `filter` with at least one parameter. Changes all of them or none; ids of other accounts are ignored.';
const selection = {
  redirectIds: z.array(z.int()).optional().describe('The ids of 1 to 10,000 redirects. Use either this or `filter`.'),
  filter: filterSchema(sessionDialect)
    .optional()
    .describe('Selects redirects by at least one of these fields. Use either this or `redirectIds`.'),
};
const { target_environments, group_id, status_code, notes, is_regex, old_path, new_path } =
  redirectFields(sessionDialect);
const Updates = z
  .strictObject({
    target_environments,
    group_id,
    status_code,
    notes,
    is_regex,
    old_path: old_path.describe('Cannot be changed in bulk: 422.'),
    new_path: new_path.describe('Cannot be changed in bulk: 422.'),
  })
  .partial();
const UpdateBody = bodyObject({
  ...selection,
  updates: Updates.describe('The fields to change in each redirect; at least one.'),
});
const DeleteBody = bodyObject(selection);
const Updated = z.object({
  updated: z.int().describe('The number of changed redirects.'),
  message: z.string().describe('A human-readable summary.'),
});
const Deleted = z.object({
  deleted: z.int().describe('The number of deleted redirects.'),
  message: z.string().describe('A human-readable summary.'),
});

/** POST /api/redirects/bulk-update and DELETE /api/redirects/bulk-delete. */
export function redirectBulkRoutes(app: Api, deps: SurfaceDeps): void {
  app.post(
    '/redirects/bulk-update',
    {
      schema: {
        operationId: 'updateRedirects',
        tag: 'Redirects',
        summary: 'Change many redirects',
        description: SELECTION,
        returns: 'The number of changed redirects.',
        errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'TOO_MANY_ITEMS', ...RULE_ERRORS],
        example: {
          body: { redirectIds: [1, 2], updates: { group_id: 'evergreen', notes: 'kept for good' } },
        },
        body: UpdateBody,
        response: { 200: Updated },
      },
    },
    async ({ actor, body }) => {
      assertUpdates(body.updates);
      const updated = await bulkUpdateRedirects(deps.db, actor, {
        selection: await selectionOf(deps, actor, body),
        change: redirectChange(body.updates),
        bulk: { filter: eventFilter(body.filter), updates: body.updates },
      });
      deps.committed();
      return { updated, message: `${counted(updated)} updated` };
    },
  );

  app.delete(
    '/redirects/bulk-delete',
    {
      schema: {
        operationId: 'deleteRedirects',
        tag: 'Redirects',
        summary: 'Delete many redirects',
        description: SELECTION,
        returns: 'The number of deleted redirects.',
        bodyRequired: true,
        errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BUSY'],
        example: { body: { filter: { website_id: 1, group: 'campaigns' } } },
        body: DeleteBody,
        response: { 200: Deleted },
      },
    },
    async ({ actor, body }) => {
      const deleted = await bulkDeleteRedirects(deps.db, actor, {
        selection: await selectionOf(deps, actor, body),
        bulk: { filter: eventFilter(body.filter), updates: null },
      });
      deps.committed();
      return { deleted, message: `${counted(deleted)} deleted` };
    },
  );
}

const counted = (count: number): string => (count === 1 ? '1 redirect' : `${count} redirects`);

function selectionOf(
  deps: SurfaceDeps,
  actor: Actor,
  { redirectIds, filter }: z.output<typeof DeleteBody>,
): Promise<Selection> {
  const names = { idsField: 'redirectIds', dialect: sessionDialect };
  return readSelection(deps, actor, { ids: redirectIds, filter }, names);
}

/** Throws unless at least one field is set that may change in bulk. */
function assertUpdates(updates: z.output<typeof Updates>): void {
  for (const field of ['old_path', 'new_path'] as const) {
    if (updates[field] === undefined) continue;
    throw invalid(`updates.${field}`, 'cannot be changed in bulk; update the redirects one by one');
  }
  if (Object.values(updates).some((value) => value !== undefined)) return;
  throw new DomainError('MISSING_PARAMETER', 'updates is empty', {
    details: 'updates: send at least one of target_environments, group_id, status_code, notes, is_regex',
  });
}
