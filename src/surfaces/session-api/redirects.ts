import { z } from 'zod';
import { requirePlan } from '../../accounts/permissions.ts';
import { bodyId, bodyObject, Message, pathId, queryObject, searchText } from '../../http/fields.ts';
import { jsonList, sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { createRedirect } from '../../redirects/write/create.ts';
import { deleteRedirect } from '../../redirects/write/delete.ts';
import { findRedirect } from '../../redirects/list/find.ts';
import { listRedirects, streamRedirects } from '../../redirects/list/list.ts';
import { restoreRedirect } from '../../redirects/undo/restore.ts';
import { updateRedirect } from '../../redirects/write/update.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { statusHasTarget } from '../../vocabulary/status-code.ts';
import { requireWebsite, resolveWebsiteId } from '../../websites/website.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { filterOf, listParameters, sortOf, windowOf } from './redirect-query.ts';
import {
  READ_ONLY,
  RedirectBody,
  redirectBody,
  redirectChange,
  redirectFields,
  redirectFieldsOf,
} from './redirect-wire.ts';

const { old_path, ...others } = redirectFields;
const CreateBody = bodyObject(
  { old_path, ...z.object(others).partial().shape, website_id: bodyId.optional() },
  { readOnly: READ_ONLY },
);
const UpdateBody = bodyObject(
  { ...z.object(redirectFields).partial().shape, website_id: bodyId.optional() },
  { readOnly: READ_ONLY },
);
const One = z.object({ redirect: RedirectBody });
/** What a change answers: the id, the fields that it carried, and when it was. */
const Changed = z.object({ redirect: RedirectBody.partial().required({ id: true, updated_at: true }) });
const List = z.object({ redirects: z.array(RedirectBody), next_cursor: z.string().nullable().optional() });
const RestoreBody = bodyObject({ website_id: bodyId, event_id: searchText });
/** Wider than other ids: every import of a million takes a million of them. */
const Params = z.object({ id: pathId('REDIRECT_NOT_FOUND', 'Redirect', Number.MAX_SAFE_INTEGER) });

/** GET, POST /api/redirects; GET, PUT, DELETE /api/redirects/{id}; POST /api/redirects/restore. */
export function redirectRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;
  listRoute(app, deps);
  restoreRoute(app, deps);

  app.post(
    '/redirects',
    { config: { role: 'editor' }, schema: { body: CreateBody, response: { 201: One } } },
    async ({ actor, body }, reply) => {
      requireTarget(body);
      const websiteId = await resolveWebsiteId(db, actor, body.website_id);
      const redirect = await createRedirect(db, actor, websiteId, redirectFieldsOf(body));
      deps.committed();
      return reply.code(201).send({ redirect: redirectBody(redirect) });
    },
  );

  app.get(
    '/redirects/:id',
    { config: { role: 'viewer' }, schema: { params: Params, response: { 200: One } } },
    async ({ actor, params }) => ({
      redirect: redirectBody(await findRedirect(db, actor, params.id)),
    }),
  );

  app.put(
    '/redirects/:id',
    { config: { role: 'editor' }, schema: { params: Params, body: UpdateBody, response: { 200: Changed } } },
    async ({ actor, params, body }) => {
      const { website_id, ...fields } = body;
      if (website_id !== undefined) await refuseOtherWebsite(deps, actor, params.id, website_id);
      requireWritable(fields);
      const redirect = await updateRedirect(db, actor, params.id, redirectChange(fields));
      deps.committed();
      const answered = Object.entries(redirectBody(redirect)).filter(([field]) => field in body);
      return {
        redirect: {
          id: redirect.id,
          ...Object.fromEntries(answered),
          updated_at: redirectBody(redirect).updated_at,
        },
      };
    },
  );

  app.delete(
    '/redirects/:id',
    { config: { role: 'editor' }, schema: { params: Params, response: { 200: Message } } },
    async ({ actor, params }) => {
      await deleteRedirect(db, actor, params.id);
      deps.committed();
      return { message: `Redirect ${params.id} is deleted` };
    },
  );
}

function restoreRoute(app: Api, { db, committed }: SurfaceDeps): void {
  app.post(
    '/redirects/restore',
    { config: { role: 'editor' }, schema: { body: RestoreBody, response: { 200: One } } },
    async ({ actor, body }) => {
      const redirect = await restoreRedirect(db, actor, {
        websiteId: body.website_id,
        eventId: body.event_id,
      });
      committed();
      return { redirect: redirectBody(redirect) };
    },
  );
}

/** Without paging every match is streamed; with it, a page and the cursor of the next. */
function listRoute(app: Api, { db, streams, clock }: SurfaceDeps): void {
  app.get(
    '/redirects',
    // HEAD would make the whole list and throw it away.
    {
      config: { role: 'viewer', gives: { 'application/json': List } },
      exposeHeadRoute: false,
      schema: { querystring: queryObject(listParameters) },
    },
    async ({ actor, query }, reply) => {
      const filter = filterOf(query);
      if (filter.websiteId !== undefined) await requireWebsite(db, actor, filter.websiteId);
      const window = windowOf(query, clock.now());
      if (window) requirePlan(actor, 'analytics');
      const sort = sortOf(query.sort, window);
      if (query.limit === undefined && query.cursor === undefined) {
        const pages = streamRedirects(streams, actor, filter, { sort, window });
        const text = jsonList('redirects', pages, (redirect) => JSON.stringify(redirectBody(redirect)));
        return sendStream(reply.type('application/json; charset=utf-8'), text);
      }
      const page = { sort, window, limit: query.limit ?? 100, cursor: query.cursor };
      const { redirects, nextCursor } = await listRedirects(db, actor, filter, page);
      return { redirects: redirects.map(redirectBody), next_cursor: nextCursor };
    },
  );
}

/** A field that the status needs and the body leaves out is a request that cannot be understood. */
function requireTarget(body: {
  new_path?: string | null | undefined;
  status_code?: number | undefined;
}): void {
  if (body.new_path !== undefined || !statusHasTarget(body.status_code ?? 301)) return;
  throw new DomainError('MISSING_PARAMETER', 'new_path: is required', {
    details: 'new_path: is required; only a 410 or 451 goes without a target',
    issues: [{ path: 'new_path', code: 'MISSING_PARAMETER', message: 'is required' }],
  });
}

function requireWritable(fields: object): void {
  if (Object.values(fields).some((value) => value !== undefined)) return;
  throw new DomainError('MISSING_PARAMETER', 'The body has no field to change', {
    details: `name at least one of ${Object.keys(redirectFields).join(', ')}`,
  });
}

async function refuseOtherWebsite(
  { db }: SurfaceDeps,
  actor: Parameters<typeof findRedirect>[1],
  id: number,
  websiteId: number,
): Promise<void> {
  if ((await findRedirect(db, actor, id)).websiteId === websiteId) return;
  throw invalid(
    'website_id',
    'cannot be changed; create the redirect in the other website and delete this one',
  );
}
