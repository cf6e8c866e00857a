import { z } from 'zod';
import { bodyObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { bulkDeleteRedirects, bulkUpdateRedirects } from '../../redirects/write/bulk.ts';
import { checkIds, type Selection } from '../../redirects/write/selection.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { requireWebsite } from '../../websites/website.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { FilterBody, filterOf } from './redirect-query.ts';
import { redirectChange, redirectFields } from './redirect-wire.ts';

const selection = { redirectIds: z.array(z.int()).optional(), filter: FilterBody.optional() };
const { target_environments, group_id, status_code, notes, is_regex, old_path, new_path } = redirectFields;
const Updates = z
  .strictObject({ target_environments, group_id, status_code, notes, is_regex, old_path, new_path })
  .partial();
const UpdateBody = bodyObject({ ...selection, updates: Updates });
const Updated = z.object({ updated: z.int(), message: z.string() });
const Deleted = z.object({ deleted: z.int(), message: z.string() });
const DeleteBody = bodyObject(selection);

/** POST /api/redirects/bulk-update and DELETE /api/redirects/bulk-delete. */
export function bulkRoutes(app: Api, deps: SurfaceDeps): void {
  app.post(
    '/redirects/bulk-update',
    { config: { role: 'editor' }, schema: { body: UpdateBody, response: { 200: Updated } } },
    async ({ actor, body }) => {
      checkUpdates(body.updates);
      const chosen = await selectionOf(deps, actor, body);
      const bulk = { filter: eventFilter(body.filter), updates: body.updates };
      const updated = await bulkUpdateRedirects(deps.db, actor, {
        selection: chosen,
        change: redirectChange(body.updates),
        bulk,
      });
      deps.committed();
      return { updated, message: `${counted(updated)} updated` };
    },
  );

  app.delete(
    '/redirects/bulk-delete',
    { config: { role: 'editor' }, schema: { body: DeleteBody, response: { 200: Deleted } } },
    async ({ actor, body }) => {
      const chosen = await selectionOf(deps, actor, body);
      const bulk = { filter: eventFilter(body.filter), updates: null };
      const deleted = await bulkDeleteRedirects(deps.db, actor, { selection: chosen, bulk });
      deps.committed();
      return { deleted, message: `${counted(deleted)} deleted` };
    },
  );
}

const counted = (count: number): string => (count === 1 ? '1 redirect' : `${count} redirects`);

/** The filter as events carry it: ids as strings, times in whole seconds. */
function eventFilter(filter: z.output<typeof FilterBody> | undefined): object | null {
  if (!filter) return null;
  const words = Object.entries(filter).map(([name, value]: [string, unknown]) => {
    if (name === 'website_id') return [name, String(value)];
    return [name, value instanceof Date ? isoSeconds(value) : value];
  });
  return Object.fromEntries(words);
}

function checkUpdates(updates: z.output<typeof Updates>): void {
  if (updates.old_path !== undefined)
    throw invalid('updates.old_path', 'cannot be changed in bulk; update the redirects one by one');
  if (updates.new_path !== undefined)
    throw invalid('updates.new_path', 'cannot be changed in bulk; update the redirects one by one');
  if (Object.values(updates).some((value) => value !== undefined)) return;
  throw new DomainError('MISSING_PARAMETER', 'updates is empty', {
    details: 'updates: name at least one of target_environments, group_id, status_code, notes, is_regex',
  });
}

async function selectionOf(
  { db }: SurfaceDeps,
  actor: Actor,
  body: { redirectIds?: number[] | undefined; filter?: z.output<typeof FilterBody> | undefined },
): Promise<Selection> {
  const { redirectIds, filter } = body;
  if ((redirectIds === undefined) === (filter === undefined)) {
    const code = redirectIds === undefined ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER';
    throw new DomainError(code, 'Say which redirects', {
      details: 'redirectIds: name 1 to 10,000 ids, or give a filter instead, not both',
    });
  }
  if (redirectIds) {
    checkIds(redirectIds);
    return { ids: redirectIds };
  }
  if (filter && Object.values(filter).every((value) => value === undefined)) {
    throw new DomainError('MISSING_PARAMETER', 'The filter is empty', {
      details: 'filter: name at least website_id, so that nobody changes everything by mistake',
    });
  }
  if (filter?.website_id !== undefined) await requireWebsite(db, actor, filter.website_id);
  return { filter: filterOf(filter ?? {}) };
}
