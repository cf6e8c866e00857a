import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, changeId } from '../../../http/fields.ts';
import { RULE_ERRORS } from '../../../http/route-docs.ts';
import { isoMoment } from '../../../platform/clock.ts';
import type { Api } from '../../../http/zod.ts';
import { type BulkResult, bulkDeleteRedirects, bulkUpdateRedirects } from '../../../redirects/write/bulk.ts';
import { DomainError, invalid } from '../../../vocabulary/error.ts';
import type { Dialect } from '../dialect.ts';
import { eventFilter, readSelection, type SelectionBody, selectionFields } from './selection.ts';
import { redirectChange, redirectFields } from './wire.ts';

function updatesSchema(dialect: Dialect) {
  const { target_environments, group_id, status_code, notes, is_regex, old_path, new_path, ...window } =
    redirectFields(dialect);
  return z
    .strictObject({
      target_environments,
      group_id,
      status_code,
      notes,
      is_regex,
      ...window,
      old_path: old_path.describe('Cannot be changed in bulk: 422.'),
      new_path: new_path.describe('Cannot be changed in bulk: 422.'),
    })
    .partial();
}

type Updates = z.output<ReturnType<typeof updatesSchema>>;

/** The response to a bulk call, with the number under the name of the surface. */
function resultSchema(field: string, text: string) {
  return z.object({
    [field]: z.int().describe(text),
    change_id: changeId,
    change_ids: z.array(z.string()).describe('The ids of all changes that the call made, one for each website.'),
    message: z.string().describe('A human-readable summary.'),
  });
}

function resultBody(field: string, { count, changeIds }: BulkResult, done: string) {
  const redirects = count === 1 ? '1 redirect' : `${count} redirects`;
  return { [field]: count, change_id: changeIds[0] ?? null, change_ids: changeIds, message: `${redirects} ${done}` };
}

/** POST /redirects/bulk-update; DELETE or, on surface A, POST /redirects/bulk-delete. */
export function redirectBulkRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { ids, updated, deleted, deletion } = dialect.bulk;
  const fields = selectionFields(dialect);
  const byFilter = dialect.namesWebsite ? 'a `website_id` and a `filter`' : 'a `filter` with at least one parameter';
  const selecting = `Select the redirects by \`${ids}\` (1 to 10,000), or by ${byFilter}. Changes all of them or none; ids of other accounts are ignored.`;
  const exampleIds = [dialect.writeId(1), dialect.writeId(2)];
  const UpdateBody: z.ZodType<SelectionBody & { updates: Updates }> = bodyObject({
    ...fields,
    updates: updatesSchema(dialect).describe('The fields to change in each redirect; at least one.'),
  });
  app.post(
    '/redirects/bulk-update',
    {
      schema: {
        operationId: `updateRedirects${dialect.suffix}`,
        tag: dialect.tags.redirects,
        summary: 'Change many redirects',
        description: selecting,
        returns: 'The number of changed redirects.',
        errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'TOO_MANY_ITEMS', ...RULE_ERRORS],
        example: { body: { [ids]: exampleIds, updates: { group_id: 'evergreen', notes: 'kept for good' } } },
        body: UpdateBody,
        response: { 200: resultSchema(updated, 'The number of changed redirects.') },
      },
    },
    async ({ actor, body }) => {
      assertUpdates(body.updates);
      const result = await bulkUpdateRedirects(deps.db, actor, {
        selection: await readSelection(deps, actor, body, dialect),
        change: redirectChange(body.updates),
        bulk: { filter: eventFilter(body), updates: eventUpdates(body.updates) },
      });
      deps.committed();
      return resultBody(updated, result, 'updated');
    },
  );

  const DeleteBody: z.ZodType<SelectionBody> = bodyObject(fields);
  const group = { group: 'campaigns' };
  app.route({
    method: deletion,
    url: '/redirects/bulk-delete',
    schema: {
      operationId: `deleteRedirects${dialect.suffix}`,
      tag: dialect.tags.redirects,
      summary: 'Delete many redirects',
      description: selecting,
      returns: 'The number of deleted redirects.',
      bodyRequired: true,
      errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BUSY'],
      example: {
        body: dialect.namesWebsite
          ? { website_id: dialect.writeId(1), filter: group }
          : { filter: { website_id: dialect.writeId(1), ...group } },
      },
      body: DeleteBody,
      response: { 200: resultSchema(deleted, 'The number of deleted redirects.') },
    },
    async handler({ actor, body }) {
      const result = await bulkDeleteRedirects(deps.db, actor, {
        selection: await readSelection(deps, actor, body, dialect),
        bulk: { filter: eventFilter(body), updates: null },
      });
      deps.committed();
      return resultBody(deleted, result, 'deleted');
    },
  });
}

/** The updates as events report them: times as text. */
function eventUpdates(updates: Updates): object {
  const entries = Object.entries(updates).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Date ? isoMoment(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Throws unless at least one field is set that may change in bulk. */
function assertUpdates(updates: Updates): void {
  for (const field of ['old_path', 'new_path'] as const) {
    if (updates[field] === undefined) continue;
    throw invalid(`updates.${field}`, 'cannot be changed in bulk; update the redirects one by one');
  }
  if (Object.values(updates).some((value) => value !== undefined)) return;
  throw new DomainError('MISSING_PARAMETER', 'updates is empty', {
    details:
      'updates: send at least one of target_environments, group_id, status_code, notes, is_regex, active_from, active_until',
  });
}
