import { z } from 'zod';
import { requireRole } from '../../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, changeId, EnvironmentName, heldBody, heldFields, part } from '../../../http/wire/fields.ts';
import { RULE_ERRORS } from '../../../http/route-docs.ts';
import { camelName, namesToWire } from '../../../http/wire/wire-names.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { type BulkResult, bulkDeleteRedirects, bulkUpdateRedirects } from '../../../redirects/write/bulk.ts';
import { DomainError, invalid } from '../../../vocabulary/error.ts';
import type { Dialect } from '../dialect.ts';
import { bulkUpdates, effectBody, effectFields, type Updates, updatesSchema } from './bulk-wire.ts';
import { eventFilter, readSelection, type SelectionBody, selectionFields, withTexts } from './selection.ts';

/** The response to a bulk call, with the number under the name of the surface. */
function resultSchema(field: string, text: string, more: z.core.$ZodLooseShape = {}) {
  return z.object({
    [field]: z.int().describe(text),
    change_id: changeId,
    change_ids: z.array(z.string()).describe('The ids of all changes that the call made, one for each website.'),
    ...heldFields,
    ...more,
    message: z.string().describe('A human-readable summary.'),
  });
}

function resultBody(field: string, { count, changeIds, held }: BulkResult, done: string) {
  const redirects = count === 1 ? '1 redirect' : `${count} redirects`;
  const change = { changeId: changeIds[0] ?? null, changeIds, ...heldBody(held) };
  return { [camelName(field)]: count, ...change, message: `${redirects} ${done}` };
}

interface UpdateInput extends SelectionBody {
  updates: Updates;
  dryRun?: boolean | undefined;
  skipInvalid?: boolean | undefined;
}

const options = {
  dry_run: z
    .boolean()
    .optional()
    .describe(
      'Reports in `effect` what would happen, and changes nothing. Does not check the limit of patterns. Needs only the role viewer or a read key. Default false.',
    ),
  skip_invalid: z
    .boolean()
    .optional()
    .describe(
      'Leaves out the redirects that would be invalid and lists them in `effect`, instead of failing. Default false.',
    ),
};

const deletionDryRun = z
  .boolean()
  .optional()
  .describe(
    'Reports in `effect` what would be deleted, and changes nothing. Needs only the role viewer or a read key. Default false.',
  );

const DeletionEffectBody = part('What would be deleted. Present only with `dry_run`.', {
  environments: z.array(EnvironmentName).describe('The environments that at least one of them targets.'),
  hits: z.int().describe('Their hits by humans in the last 30 days, in all environments.'),
});

/** POST /redirects/bulk-update; DELETE or, on surface A, POST /redirects/bulk-delete. */
export function redirectBulkRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  updateRoute(app, deps, dialect);
  deleteRoute(app, deps, dialect);
}

function selectingText({ namesWebsite, bulk: { ids } }: Dialect): string {
  const byFilter = namesWebsite ? 'a `website_id` and a `filter`' : 'a `filter` with at least one parameter';
  return `Select the redirects by \`${ids}\` (1 to 10,000), or by ${byFilter}. Changes all of them or none; ids of other accounts are ignored.`;
}

function updateRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { ids, updated } = dialect.bulk;
  const exampleIds = [dialect.writeId(1), dialect.writeId(2)];
  const Updated = updatesSchema(dialect);
  const toWire = namesToWire(Updated);
  const UpdateBody: z.ZodType<UpdateInput> = bodyObject({
    ...selectionFields(dialect),
    updates: Updated.describe('The fields to change in each redirect; at least one.'),
    ...options,
  });
  app.post('/redirects/bulk-update', {
    config: { role: 'viewer' },
    ...dialect.operation('updateRedirects', 'redirects'),
    summary: 'Change many redirects',
    description: `${selectingText(dialect)} \`skip_invalid\` changes the valid ones.`,
    returns: 'The number of changed redirects.',
    errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'TOO_MANY_ITEMS', ...RULE_ERRORS, ...dialect.roleErrors],
    example: { body: { [ids]: exampleIds, updates: { group_id: 'evergreen', notes: 'kept for good' } } },
    body: UpdateBody,
    response: { 200: resultSchema(updated, 'The number of changed redirects.', effectFields(dialect)) },
    async handler({ actor, body }) {
      const { dryRun = false, skipInvalid = false } = body;
      if (!dryRun) requireRole(actor, 'editor');
      assertUpdates(body.updates);
      const selection = await readSelection(deps, actor, body, dialect);
      const updates = bulkUpdates(body.updates);
      if (dryRun) {
        const inShare = deps.streamShares.jobs(actor);
        const effect = await inShare(() => deps.jobs.previewBulkUpdate(actor, { selection, updates }));
        const count = effect.changed + effect.unchanged + (skipInvalid ? 0 : effect.invalid);
        const result = resultBody(updated, { count, changeIds: [], held: [] }, 'would be updated');
        return { ...result, effect: effectBody(effect) };
      }
      const bulk = { filter: eventFilter(body, dialect), updates: withTexts(toWire(body.updates)) };
      const result = await bulkUpdateRedirects(deps.db, actor, { selection, updates, skipInvalid, bulk });
      deps.committed();
      const shown = resultBody(updated, result, 'updated');
      return skipInvalid ? { ...shown, effect: effectBody(result.effect) } : shown;
    },
  });
}

function deleteRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { deleted, deletion } = dialect.bulk;
  const fields: z.core.$ZodLooseShape = { ...selectionFields(dialect), dry_run: deletionDryRun };
  const DeleteBody: z.ZodType<SelectionBody & Pick<UpdateInput, 'dryRun'>> = bodyObject(fields);
  const group = { group: 'campaigns' };
  app[deletion]('/redirects/bulk-delete', {
    config: { role: 'viewer' },
    ...dialect.operation('deleteRedirects', 'redirects'),
    summary: 'Delete many redirects',
    description: selectingText(dialect),
    returns: 'The number of deleted redirects.',
    bodyRequired: true,
    errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BUSY'],
    example: {
      body: dialect.namesWebsite
        ? { website_id: dialect.writeId(1), filter: group }
        : { filter: { website_id: dialect.writeId(1), ...group } },
    },
    body: DeleteBody,
    response: {
      200: resultSchema(deleted, 'The number of deleted redirects.', { effect: DeletionEffectBody.optional() }),
    },
    async handler({ actor, body }) {
      if (!body.dryRun) requireRole(actor, 'editor');
      const selection = await readSelection(deps, actor, body, dialect);
      if (body.dryRun) {
        const inShare = deps.streamShares.jobs(actor);
        const { count, ...effect } = await inShare(() => deps.jobs.previewBulkDelete(actor, { selection }));
        return { ...resultBody(deleted, { count, changeIds: [], held: [] }, 'would be deleted'), effect };
      }
      const bulk = { filter: eventFilter(body, dialect), updates: null };
      const result = await bulkDeleteRedirects(deps.db, actor, { selection, bulk });
      deps.committed();
      return resultBody(deleted, result, 'deleted');
    },
  });
}

/** Throws unless at least one field is set that may change in bulk. */
function assertUpdates(updates: Updates): void {
  for (const [field, value] of [['old_path', updates.oldPath] as const, ['new_path', updates.newPath] as const]) {
    if (value === undefined) continue;
    throw invalid(`updates.${field}`, 'cannot be changed in bulk; update the redirects one by one');
  }
  if (Object.values(updates).some((value) => value !== undefined)) return;
  throw new DomainError('MISSING_PARAMETER', 'updates is empty', {
    details:
      'updates: send at least one of target_environments, add_environments, remove_environments, group_id, status_code, notes, is_regex, replace_in_new_path, replace_in_old_path, active_from, active_until',
  });
}
