import { z } from 'zod';
import { queueUndeployed } from '../../deployments/publish/queue.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import {
  bodyObject,
  EnvironmentName,
  Message,
  name,
  queryBoolean,
  queryObject,
  Timestamp,
} from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { deleteWebsite } from '../../websites/delete.ts';
import { createWebsite, updateWebsite } from '../../websites/store.ts';
import { listWebsites, requireWebsite, type Website } from '../../websites/website.ts';
import type { Dialect, Wire } from './dialect.ts';

const host = { hostname: z.string(), environment: EnvironmentName };

/** The fields of a website that a caller may set. */
export const websiteFields = {
  hosts: z.array(z.strictObject(host)),
  case_sensitive: z.boolean(),
  trailing_slash: z.enum(['ignore', 'exact']),
  query: z.enum(['pass', 'drop', 'exact']),
  fallback_url: z.string().nullable(),
  allowed_target_hosts: z.array(z.string()),
  auto_deploy: z.boolean(),
  on_loop: z.enum(['warn', 'fail']),
};

/** A body may repeat these fields of the resource; they are ignored. */
const READ_ONLY = ['id', 'held_environments', 'created_at', 'updated_at'] as const;

const options = z.object(websiteFields).partial().shape;
const CreateBody = bodyObject({ name, ...options }, { readOnly: READ_ONLY });
const UpdateBody = bodyObject(
  { name: name.optional(), ...options },
  { readOnly: READ_ONLY, atLeastOne: true },
);

export function websiteSchema<W extends Wire>({ id, suffix }: Dialect<W>) {
  return z
    .object({
      id,
      name: z.string(),
      ...websiteFields,
      hosts: z.array(z.object(host)),
      held_environments: z.array(EnvironmentName),
      created_at: Timestamp,
      updated_at: Timestamp,
    })
    .meta({ id: `Website${suffix}` });
}

/** GET /websites. */
export function websiteListRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const List = z.object({ websites: z.array(websiteSchema(dialect)) });
  app.get('/websites', { schema: { response: { 200: List } } }, async ({ actor }) => ({
    websites: (await listWebsites(db, actor)).map((website) => websiteBody(website, dialect)),
  }));
}

/** GET, POST /websites; GET, PUT, DELETE /websites/{id}. */
export function websiteRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db } = deps;
  const { path, read } = dialect.websiteId;
  const serviceHost = new URL(deps.config.publicUrl).hostname;
  const Params = z.object({ id: path });
  const One = z.object({ website: websiteSchema(dialect) });
  websiteListRoute(app, deps, dialect);

  app.post(
    '/websites',
    { schema: { body: CreateBody, response: { 201: One } } },
    async ({ actor, body }, reply) => {
      const website = await createWebsite(db, actor, { ...websiteInput(body), name: body.name }, serviceHost);
      await deps.siteChanged(website.id);
      return reply.code(201).send({ website: websiteBody(website, dialect) });
    },
  );

  app.get(
    '/websites/:id',
    { schema: { params: Params, response: { 200: One } } },
    async ({ actor, params }) => ({
      website: websiteBody(await requireWebsite(db, actor, read(params.id)), dialect),
    }),
  );

  app.put(
    '/websites/:id',
    { schema: { params: Params, body: UpdateBody, response: { 200: One } } },
    async ({ actor, params, body }) => {
      const id = read(params.id);
      const website = await updateWebsite(db, actor, id, websiteInput(body), {
        serviceHost,
        // Turning on automatic deployment also deploys what is pending; no later call would.
        ...(body.auto_deploy === true && { alongside: (tx) => queueUndeployed(tx, actor, id) }),
      });
      await deps.siteChanged(id);
      deps.committed();
      return { website: websiteBody(website, dialect) };
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
      const id = read(params.id);
      await deleteWebsite(db, actor, id, query.force ?? false);
      await deps.siteChanged(id);
      return { message: `Website ${id} is deleted; its hosts no longer answer` };
    },
  );
}

function websiteInput(body: z.output<typeof UpdateBody>) {
  return {
    name: body.name,
    hosts: body.hosts,
    caseSensitive: body.case_sensitive,
    trailingSlash: body.trailing_slash,
    query: body.query,
    fallbackUrl: body.fallback_url,
    allowedTargetHosts: body.allowed_target_hosts,
    autoDeploy: body.auto_deploy,
    onLoop: body.on_loop,
  };
}

function websiteBody(website: Website, { writeId }: Dialect) {
  return {
    id: writeId(website.id),
    name: website.name,
    hosts: website.hosts,
    case_sensitive: website.caseSensitive,
    trailing_slash: website.trailingSlash,
    query: website.query,
    fallback_url: website.fallbackUrl,
    allowed_target_hosts: website.allowedTargetHosts,
    auto_deploy: website.autoDeploy,
    held_environments: website.heldEnvironments,
    on_loop: website.onLoop,
    created_at: website.createdAt,
    updated_at: website.updatedAt,
  };
}
