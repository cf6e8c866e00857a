import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  bodyObject,
  changeId,
  heldBody,
  heldFields,
  ifUpdatedAt,
  Message,
  queryObject,
  searchText,
} from '../../../http/wire/fields.ts';
import { EXAMPLE_IDS, RULE_ERRORS } from '../../../http/route-docs.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { findRedirect } from '../../../redirects/list/find.ts';
import { restoreRedirect } from '../../../redirects/undo/restore.ts';
import { createRedirect, deleteRedirect, updateRedirect } from '../../../redirects/write/single.ts';
import { DomainError, invalid, missing } from '../../../vocabulary/error.ts';
import { statusHasTarget } from '../../../vocabulary/status-code.ts';
import { resolveWebsiteId } from '../../../websites/website.ts';
import type { Dialect } from '../dialect.ts';
import { include } from './filter.ts';
import {
  newRedirect,
  READ_ONLY,
  redirectBody,
  redirectChange,
  redirectFields,
  redirectSchema,
  seenRedirect,
} from './wire.ts';

/** POST /redirects; GET, PUT, DELETE /redirects/{id}. */
export function redirectRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db } = deps;
  const { path, read } = dialect.redirectId;
  const Params = z.object({ id: path });
  const One = z.object({ redirect: redirectSchema(dialect).describe('The redirect.') });
  const Written = One.extend({ change_id: changeId, ...heldFields });
  const { old_path, ...others } = redirectFields(dialect);
  updateRoute(app, deps, dialect);

  app.post('/redirects', {
    ...dialect.operation('createRedirect', 'redirects'),
    summary: 'Create a redirect',
    description: 'The path must be new in its website; otherwise 409.',
    returns: 'The redirect.',
    errors: ['WEBSITE_NOT_FOUND', 'CONFLICT', 'PLAN_LIMIT_EXCEEDED', ...RULE_ERRORS],
    example: {
      body: {
        website_id: dialect.writeId(1),
        old_path: '/spring-sale',
        new_path: '/offers/spring',
        status_code: 302,
        group_id: 'campaigns',
        target_environments: dialect.environments.write(['production', 'staging']),
      },
    },
    body: bodyObject(
      {
        old_path,
        ...z.object(others).partial().shape,
        website_id: dialect.namesWebsite
          ? dialect.websiteId.body
          : dialect.websiteId.body
              .optional()
              .describe('The id of the website. Required unless the account has exactly one website.'),
      },
      { readOnly: READ_ONLY },
    ),
    response: { 201: Written },
    async handler({ actor, body }) {
      requireTarget(body);
      const { websiteId: named, ...fields } = body;
      const websiteId = await resolveWebsiteId(
        db,
        actor,
        named === undefined ? undefined : dialect.websiteId.read(named),
      );
      const redirect = await createRedirect(db, actor, websiteId, newRedirect(fields));
      deps.committed();
      return { redirect: redirectBody(redirect), changeId: redirect.changeId, ...heldBody(redirect.held) };
    },
  });

  app.get('/redirects/:id', {
    ...dialect.operation('getRedirect', 'redirects'),
    summary: 'Show a redirect',
    returns: 'The redirect.',
    errors: ['REDIRECT_NOT_FOUND'],
    example: { path: { id: dialect.writeId(1) }, query: { include: 'live' } },
    params: Params,
    querystring: queryObject({ include }),
    response: { 200: One },
    async handler({ actor, params, query }) {
      const withLive = query.include === 'live';
      return { redirect: redirectBody(await findRedirect(db, actor, read(params.id), { withLive })) };
    },
  });

  app.delete('/redirects/:id', {
    ...dialect.operation('deleteRedirect', 'redirects'),
    summary: 'Delete a redirect',
    returns: 'The redirect is deleted. Its change can be undone for 30 days.',
    errors: ['REDIRECT_NOT_FOUND', 'CHANGED_SINCE', 'BUSY'],
    example: { path: { id: dialect.writeId(4) } },
    params: Params,
    querystring: queryObject({ if_updated_at: ifUpdatedAt }),
    response: { 200: Message.extend({ change_id: changeId, ...heldFields }) },
    async handler({ actor, params, query }) {
      const seen = seenRedirect(query.ifUpdatedAt, dialect);
      const deleted = await deleteRedirect(db, actor, read(params.id), seen);
      deps.committed();
      return { message: `Redirect ${params.id} is deleted`, changeId: deleted.changeId, ...heldBody(deleted.held) };
    },
  });
}

/** Surface A responds with the redirect; surface C with its id, the fields of the body as stored, and the time. */
function updateRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db } = deps;
  const fields = redirectFields(dialect);
  const Params = z.object({ id: dialect.redirectId.path });
  const Redirect = redirectSchema(dialect);
  const Changed = dialect.namesWebsite ? Redirect : Redirect.partial().required({ id: true, updated_at: true });

  app.put('/redirects/:id', {
    ...dialect.operation('updateRedirect', 'redirects'),
    summary: 'Change a redirect',
    description:
      'Omitted fields keep their value. `website_id` cannot be changed. With `if_updated_at`, a change made meanwhile is not overwritten.',
    returns: dialect.namesWebsite ? 'The redirect.' : 'The id, the fields that were sent, and `updated_at`.',
    bodyRequired: true,
    errors: ['REDIRECT_NOT_FOUND', 'WEBSITE_NOT_FOUND', 'CHANGED_SINCE', 'CONFLICT', ...RULE_ERRORS],
    example: { path: { id: dialect.writeId(2) }, body: { new_path: '/offers/autumn', status_code: 301 } },
    params: Params,
    body: bodyObject(
      {
        ...z.object(fields).partial().shape,
        website_id: dialect.websiteId.body.optional().describe('The id of its website. Cannot be changed.'),
        if_updated_at: ifUpdatedAt,
      },
      { readOnly: READ_ONLY },
    ),
    response: { 200: z.object({ redirect: Changed.describe('The redirect.'), change_id: changeId, ...heldFields }) },
    async handler({ actor, params, body }) {
      const id = dialect.redirectId.read(params.id);
      const { websiteId: named, ifUpdatedAt: seenAt, ...changes } = body;
      if (named !== undefined) {
        const { websiteId } = await findRedirect(db, actor, id);
        if (websiteId !== dialect.websiteId.read(named)) throw websiteCannotChange();
      }
      if (Object.values(changes).every((value) => value === undefined)) throw nothingToChange(fields);
      const written = await updateRedirect(db, actor, id, redirectChange(changes), seenRedirect(seenAt, dialect));
      const redirect = redirectBody(written);
      deps.committed();
      const change = { changeId: written.changeId, ...heldBody(written.held) };
      if (dialect.namesWebsite) return { redirect, ...change };
      const sent = Object.fromEntries(Object.entries(redirect).filter(([field]) => field in body));
      return { redirect: { id, ...sent, updatedAt: redirect.updatedAt }, ...change };
    },
  });
}

/** POST /redirects/restore: undoes the change that an event reports. */
export function restoreRoute(app: Api, { db, committed }: SurfaceDeps, dialect: Dialect): void {
  const One = z.object({
    redirect: redirectSchema(dialect).describe('The redirect.'),
    change_id: changeId,
    ...heldFields,
  });
  app.post('/redirects/restore', {
    ...dialect.operation('restoreRedirect', 'redirects'),
    summary: 'Undo a change or deletion',
    description:
      'Restores one redirect to its state before the event, with its id and times, within 24 hours. The event is one of the [activity](#listEvents).',
    returns: 'The restored redirect.',
    errors: ['WEBSITE_NOT_FOUND', 'EVENT_NOT_FOUND', 'CONFLICT', 'PLAN_LIMIT_EXCEEDED', ...RULE_ERRORS],
    example: { body: { website_id: dialect.writeId(1), event_id: EXAMPLE_IDS.event } },
    body: bodyObject({
      website_id: dialect.websiteId.body,
      event_id: searchText.describe('The id of the event, a UUID.'),
    }),
    response: { 200: One },
    async handler({ actor, body }) {
      const websiteId = dialect.websiteId.read(body.websiteId);
      const redirect = await restoreRedirect(db, actor, { websiteId, eventId: body.eventId });
      committed();
      return { redirect: redirectBody(redirect), changeId: redirect.changeId, ...heldBody(redirect.held) };
    },
  });
}

/** 400, unlike a null target, which breaks a rule (422). */
function requireTarget(body: { newPath?: string | null | undefined; statusCode?: number | undefined }): void {
  if (body.newPath !== undefined || !statusHasTarget(body.statusCode ?? 301)) return;
  throw missing('new_path', 'is required, except with status 410 or 451');
}

function nothingToChange(fields: object): DomainError {
  return new DomainError('MISSING_PARAMETER', 'The body has no field to change', {
    details: `body: send at least one of ${Object.keys(fields).join(', ')}`,
  });
}

function websiteCannotChange(): DomainError {
  return invalid('website_id', 'cannot be changed; create the redirect in the other website and delete this one');
}
