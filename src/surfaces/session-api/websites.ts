import { z } from 'zod';
import { bodyObject, Message, name, pathId, queryBoolean, queryObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { createWebsite, updateWebsite } from '../../websites/store.ts';
import { deleteWebsite } from '../../websites/delete.ts';
import { listWebsites, requireWebsite } from '../../websites/website.ts';
import { queueUndeployed } from '../../deployments/publish/queue.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { READ_ONLY, WebsiteBody, websiteBody, websiteFields, websiteInput } from './website-wire.ts';

const options = z.object(websiteFields).partial().shape;
const CreateBody = bodyObject({ name, ...options }, { readOnly: READ_ONLY });
const UpdateBody = bodyObject(
  { name: name.optional(), ...options },
  { readOnly: READ_ONLY, atLeastOne: true },
);
const Params = z.object({ id: pathId('WEBSITE_NOT_FOUND', 'Website') });
const One = z.object({ website: WebsiteBody });

/** GET, POST /api/websites; GET, PUT, DELETE /api/websites/{id}. */
export function websiteRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;
  const serviceHost = new URL(deps.config.publicUrl).hostname;

  app.get(
    '/websites',
    {
      config: { role: 'viewer' },
      schema: { response: { 200: z.object({ websites: z.array(WebsiteBody) }) } },
    },
    async ({ actor }) => ({ websites: (await listWebsites(db, actor)).map(websiteBody) }),
  );

  app.post(
    '/websites',
    { config: { role: 'editor' }, schema: { body: CreateBody, response: { 201: One } } },
    async ({ actor, body }, reply) => {
      const website = await createWebsite(db, actor, { ...websiteInput(body), name: body.name }, serviceHost);
      await deps.siteChanged(website.id);
      return reply.code(201).send({ website: websiteBody(website) });
    },
  );

  app.get(
    '/websites/:id',
    { config: { role: 'viewer' }, schema: { params: Params, response: { 200: One } } },
    async ({ actor, params }) => ({ website: websiteBody(await requireWebsite(db, actor, params.id)) }),
  );

  app.put(
    '/websites/:id',
    { config: { role: 'editor' }, schema: { params: Params, body: UpdateBody, response: { 200: One } } },
    async ({ actor, params, body }) => {
      const website = await updateWebsite(db, actor, params.id, websiteInput(body), {
        serviceHost,
        // From the moment that a website deploys by itself, nothing may be left that waits for a call.
        ...(body.auto_deploy === true && { alongside: (tx) => queueUndeployed(tx, actor, params.id) }),
      });
      await deps.siteChanged(website.id);
      deps.committed();
      return { website: websiteBody(website) };
    },
  );

  app.delete(
    '/websites/:id',
    {
      config: { role: 'owner' },
      schema: {
        params: Params,
        querystring: queryObject({ force: queryBoolean.optional() }),
        response: { 200: Message },
      },
    },
    async ({ actor, params, query }) => {
      await deleteWebsite(db, actor, params.id, query.force ?? false);
      await deps.siteChanged(params.id);
      return { message: `Website ${params.id} is deleted; its hosts no longer answer` };
    },
  );
}
