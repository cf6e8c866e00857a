import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import {
  actorField,
  bodyObject,
  component,
  Message,
  name,
  opaqueId,
  searchText,
  Timestamp,
} from '../../http/wire/fields.ts';
import { EXAMPLE_IDS } from '../../http/route-docs.ts';
import type { Api } from '../../http/wire/zod.ts';
import { createView, deleteView, listViews, MAX_VIEWS, updateView } from '../../redirects/list/saved-views.ts';
import { sessionDialect } from '../resources/dialect.ts';

/** Parameters of the list's URL in the dashboard. */
const PARAMETERS =
  'q, notes, new_path_contains, not_new_path_contains, old_path_contains, not_old_path_contains, environment, not_environment, status_code, not_status_code, is_regex, group, not_group, schedule, target_state, not_target_state, not_followed, last_hit_since, created_since, updated_since, sort';
const KNOWN = new Set(PARAMETERS.split(', '));

const query = searchText
  .max(4_096)
  .superRefine((text, context) => {
    const unknown = [...new URLSearchParams(text).keys()].find((each) => !KNOWN.has(each));
    if (unknown === undefined) return;
    const message = `unknown parameter "${unknown.slice(0, 40)}"; use ${PARAMETERS}`;
    context.addIssue({ code: 'custom', message });
  })
  .describe(
    `The filters and the order, as the query of the list's URL in the dashboard; at most 4,096 characters. Parameters: ${PARAMETERS}.`,
  );

export const SavedView = component('SavedView', {
  id: z.string().describe('The id, `vw_...`.'),
  name: z.string().describe('The name, unique in the website in any case of its letters.'),
  query: z.string().describe("The filters and the order, as the query of the list's URL in the dashboard."),
  created_by: actorField,
  created_at: Timestamp.describe('When it was created.'),
});

const One = z.object({ view: SavedView.describe('The saved view.') });

const PATH = '/websites/:id/views';

/** GET, POST /websites/{id}/views; PUT, DELETE /websites/{id}/views/{view_id}. */
export function savedViewRoutes(api: Api, { db }: SurfaceDeps): void {
  const { path, read } = sessionDialect.websiteId;
  const tag = 'Redirects';
  const view_id = opaqueId('VIEW_NOT_FOUND', 'Saved view').describe('The id of the saved view, `vw_...`.');
  const ofWebsite = { tag, params: z.object({ id: path }) } as const;
  const ofView = { tag, params: z.object({ id: path, view_id }) } as const;
  const example = { path: { id: 1, view_id: EXAMPLE_IDS.view } };
  const place = ({ id, viewId }: { id: string | number; viewId: string }) => ({ websiteId: read(id), viewId });

  api.get(PATH, {
    ...ofWebsite,
    operationId: 'listSavedViews',
    summary: 'List saved views',
    description: 'Names for filters of the list of redirects, shared by everyone who reaches the website.',
    returns: `The views by name, at most ${MAX_VIEWS}.`,
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: 1 } },
    response: { 200: z.object({ views: z.array(SavedView).describe('The saved views.') }) },
    handler: async ({ actor, params }) => ({ views: await listViews(db, actor, read(params.id)) }),
  });

  api.post(PATH, {
    ...ofWebsite,
    operationId: 'createSavedView',
    summary: 'Create a saved view',
    description: `A website has at most ${MAX_VIEWS}.`,
    returns: 'The saved view.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'TOO_MANY_ITEMS', 'BUSY'],
    example: { path: { id: 1 }, body: { name: 'Migration 2027', query: 'status_code=302&group=news' } },
    body: bodyObject({ name, query }),
    response: { 201: One },
    handler: async ({ actor, params, body }) => ({ view: await createView(db, actor, read(params.id), body) }),
  });

  api.put(`${PATH}/:view_id`, {
    ...ofView,
    operationId: 'updateSavedView',
    summary: 'Update a saved view',
    description: 'Replaces its name and its query.',
    returns: 'The saved view.',
    errors: ['WEBSITE_NOT_FOUND', 'VIEW_NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'BUSY'],
    example: { ...example, body: { name: 'Migration', query: 'status_code=302' } },
    body: bodyObject({ name, query }),
    response: { 200: One },
    handler: async ({ actor, params, body }) => ({ view: await updateView(db, actor, place(params), body) }),
  });

  api.delete(`${PATH}/:view_id`, {
    ...ofView,
    operationId: 'deleteSavedView',
    summary: 'Delete a saved view',
    returns: 'The saved view is deleted.',
    errors: ['WEBSITE_NOT_FOUND', 'VIEW_NOT_FOUND', 'BUSY'],
    example,
    response: { 200: Message },
    async handler({ actor, params }) {
      await deleteView(db, actor, place(params));
      return { message: 'Saved view deleted' };
    },
  });
}
