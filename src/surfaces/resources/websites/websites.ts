import { z } from 'zod';
import { queueUndeployed } from '../../../deployments/publish/queue.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  bodyObject,
  EnvironmentName,
  ifUpdatedAt,
  Message,
  name,
  queryBoolean,
  queryObject,
  searchText,
  Timestamp,
  component,
  part,
  timeZoneName,
} from '../../../http/wire/fields.ts';
import type { Camel } from '../../../http/wire/wire-names.ts';
import { type Api, encoder } from '../../../http/wire/zod.ts';
import { DEFAULT_SCHEDULE } from '../../../vocabulary/checks.ts';
import { omitUndefined } from '../../../vocabulary/omit-undefined.ts';
import { deleteWebsite } from '../../../websites/delete.ts';
import { createServiceHosts } from '../../../websites/service-hosts.ts';
import { createWebsite, updateWebsite } from '../../../websites/store.ts';
import { HOSTS_BODY_BYTES, listWebsites, requireWebsite, type Website } from '../../../websites/website.ts';
import type { Dialect, Wire } from '../dialect.ts';
import { hostFields, hostInput, storedHost } from './website-hosts.ts';

const schedule = {
  every: z.enum(['off', 'daily', 'weekly']).describe('How often.'),
  hour: z.int().min(0).max(23).describe('From 0 to 23, in `time_zone`. Default 3.'),
  weekday: z.int().min(1).max(7).describe('Of `weekly`: 1 (Monday) to 7. Default 1.'),
  time_zone: timeZoneName.describe('The IANA time zone. Default `UTC`.'),
};
const SCHEDULE =
  'When a check asks the targets of redirects in production by itself (docs/checks.md). It is replaced as a whole: a field that is left out has its default. Default `off`.';

/** The fields of a website that a caller may set. */
export const websiteFields = {
  hosts: z.array(hostInput).describe('The hosts that the website serves, at most 10,000.'),
  case_sensitive: z.boolean().describe('If false, `/Sale` and `/sale` match the same redirects. Default true.'),
  trailing_slash: z
    .enum(['ignore', 'exact'])
    .describe('`exact`: `/sale` and `/sale/` are different paths. Default `ignore`.'),
  query: z
    .enum(['pass', 'drop', 'exact'])
    .describe(
      'How the query of a request is handled: `pass` appends it to the target (default), `drop` removes it, `exact` matches only requests without one.',
    ),
  fallback_url: z
    .string()
    .nullable()
    .describe(
      'The base URL for requests without a matching redirect (302, keeping path and query). null, the default, responds with 404.',
    ),
  allowed_target_hosts: z
    .array(z.string())
    .describe('Hosts allowed in a `new_path` of the form `https://host/...`; at most 100. Default none.'),
  auto_deploy: z.boolean().describe('If false, changes go live only by an explicit deployment. Default true.'),
  on_loop: z.enum(['warn', 'fail']).describe('`fail`: a deployment that contains a loop fails. Default `warn`.'),
  gated_environments: z
    .array(EnvironmentName)
    .describe(
      'Environments to which a deployment completes only if the version meets all expectations of the environment. Default none.',
    ),
  url_gate: z
    .array(EnvironmentName)
    .describe(
      'Environments to which a deployment completes only if the version loses no URL that the live version answers, and newly hides no living page by a pattern. Default none.',
    ),
  page_parameters: z
    .array(z.string())
    .describe(
      'Names of the query parameters that identify a page, at most 50; others are cut from URLs. Applies to later pushes. Default none.',
    ),
  sitemap_urls: z
    .array(z.string())
    .describe('Sitemaps on hosts of the website, at most 20, which are fetched nightly. Default none.'),
  check_schedule: bodyObject({
    every: schedule.every,
    ...z.object(schedule).omit({ every: true }).partial().shape,
  }).describe(SCHEDULE),
  check_after_deployment: z
    .boolean()
    .describe(
      'Whether a check asks a sample of 200 redirects at the public host, a minute after each deployment. Default false.',
    ),
};

/** A body may repeat these fields of the resource; they are ignored. */
const READ_ONLY = ['id', 'host_count', 'held_environments', 'revision', 'history', 'created_at', 'updated_at'] as const;

const options = z.object(websiteFields).partial().shape;

type OptionFields = Partial<Camel<{ [Name in keyof typeof options]: z.output<(typeof options)[Name]> }>>;

export function websiteSchema<W extends Wire>({ id, named }: Dialect<W>) {
  return component(named('Website'), {
    id: id.describe('The id of the website.'),
    name: z.string().describe('The name, 1 to 200 characters.'),
    ...websiteFields,
    hosts: z
      .array(storedHost)
      .describe('The hosts that the website serves, at most 10,000; in a list of websites, the first 100 of each.'),
    check_schedule: part(SCHEDULE, schedule),
    host_count: z.int().describe('The number of its hosts.'),
    held_environments: z
      .array(EnvironmentName)
      .describe('Environments without automatic deployments since a rollback or promotion.'),
    revision: z.int().describe('Grows with each write of its redirects. A sync takes it as `if_revision`.'),
    history: z
      .string()
      .nullable()
      .describe('The random id of that revision, null if it has none. A sync takes it as `if_history`.'),
    created_at: Timestamp.describe('When it was created.'),
    updated_at: Timestamp.describe('When it was last changed.'),
  });
}

function websiteListRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const List = z.object({ websites: z.array(websiteSchema(dialect)).describe('The websites.') });
  app.get('/websites', {
    ...dialect.operation('listWebsites', 'websites'),
    summary: 'List websites',
    description: 'Other operations take the id of a website as `website_id`.',
    returns: 'The websites of the account, each with its first 100 hosts; the found ones first.',
    example: {},
    querystring: queryObject({
      q: searchText.optional().describe('Only websites with this text in their name or in a host, ignoring case.'),
      host: searchText.optional().describe('Only the websites that have this host, or a wildcard for it.'),
    }),
    response: { 200: List },
    handler: async ({ actor, query }) => ({
      websites: (await listWebsites(db, actor, query)).map(websiteBody),
    }),
  });
}

/** GET, POST /websites; GET, PUT, DELETE /websites/{id}. */
export function websiteRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db } = deps;
  const { path, read } = dialect.websiteId;
  const serviceHosts = createServiceHosts(deps.config);
  // The examples of both surfaces are sent to the same demo data.
  const isKeyApi = dialect.surface === 'key';
  const Params = z.object({ id: path });
  const One = z.object({ website: websiteSchema(dialect).describe('The website.') });
  const encodeOne = encoder(One);
  websiteListRoute(app, deps, dialect);

  app.post('/websites', {
    bodyLimit: HOSTS_BODY_BYTES,
    ...dialect.operation('createWebsite', 'websites'),
    summary: 'Create a website',
    description:
      'A hostname belongs to one website of the whole service. Hosts take effect within a second, or, if anyone can sign up, once they are verified.',
    returns: 'The website.',
    errors: ['CONFLICT', 'PLAN_LIMIT_EXCEEDED', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BUSY'],
    example: {
      body: {
        name: 'Shop',
        hosts: [{ hostname: isKeyApi ? 'store.localhost' : 'shop.localhost', environment: 'production' }],
        case_sensitive: false,
      },
    },
    body: bodyObject({ name, ...options }, { readOnly: READ_ONLY }),
    response: { 201: One },
    async handler({ actor, body }) {
      const website = await createWebsite(db, actor, { ...body, ...nestedFields(body) }, serviceHosts);
      await deps.siteChanged(website.id);
      return { website: websiteBody(website) };
    },
  });

  app.get('/websites/:id', {
    ...dialect.operation('getWebsite', 'websites'),
    summary: 'Show a website',
    returns: 'The website.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: dialect.writeId(1) } },
    params: Params,
    response: { 200: One },
    handler: async ({ actor, params }) => ({ website: websiteBody(await requireWebsite(db, actor, read(params.id))) }),
  });

  app.put('/websites/:id', {
    bodyLimit: HOSTS_BODY_BYTES,
    ...dialect.operation('updateWebsite', 'websites'),
    summary: 'Change a website',
    description:
      'Omitted fields keep their value. Options are not versioned: they take effect within 5 s, without a deployment.',
    returns: 'The updated website.',
    errors: ['WEBSITE_NOT_FOUND', 'CHANGED_SINCE', 'CONFLICT', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BUSY'],
    example: {
      path: { id: dialect.writeId(1) },
      body: {
        trailing_slash: 'ignore',
        allowed_target_hosts: ['docs.example.com', ...(isKeyApi ? ['help.example.com'] : [])],
      },
    },
    params: Params,
    body: bodyObject(
      { name: name.optional(), ...options, if_updated_at: ifUpdatedAt },
      { readOnly: READ_ONLY, atLeastOne: true, conditions: ['if_updated_at'] },
    ),
    response: { 200: One },
    async handler({ actor, params, body }) {
      const id = read(params.id);
      const { ifUpdatedAt: updatedAt, ...fields } = body;
      const input = { ...fields, ...nestedFields(body) };
      const website = await updateWebsite(db, actor, id, input, {
        rules: serviceHosts,
        seen: updatedAt && { updatedAt, toBody: (current) => encodeOne({ website: websiteBody(current) }) },
        // Turning on automatic deployment also deploys what is pending; no later call would.
        ...(body.autoDeploy === true && { inTransaction: (tx) => queueUndeployed(tx, actor, id) }),
      });
      await deps.siteChanged(id);
      deps.committed();
      return { website: websiteBody(website) };
    },
  });

  app.delete('/websites/:id', {
    config: { role: 'owner' },
    ...dialect.operation('deleteWebsite', 'websites'),
    summary: 'Delete a website',
    description:
      'A website with redirects is rejected with 409 unless `force=true`: its hosts then stop at once, and the redirects are deleted in the background.',
    returns: 'The website is deleted and its hosts no longer respond.',
    errors: ['WEBSITE_NOT_FOUND', 'CONFLICT', 'BUSY'],
    example: { path: { id: dialect.writeId(isKeyApi ? 3 : 2) }, query: { force: true } },
    params: Params,
    querystring: queryObject({
      force: queryBoolean.optional().describe('Also deletes the redirects of the website. Default false.'),
    }),
    response: { 200: Message },
    async handler({ actor, params, query }) {
      const id = read(params.id);
      await deleteWebsite(db, actor, id, query.force ?? false);
      await deps.siteChanged(id);
      return { message: `Website ${id} is deleted; its hosts no longer answer` };
    },
  });
}

function nestedFields({ hosts, checkSchedule }: Pick<OptionFields, 'hosts' | 'checkSchedule'>) {
  return {
    hosts: hosts?.map(hostFields),
    checkSchedule: checkSchedule && { ...DEFAULT_SCHEDULE, ...omitUndefined(checkSchedule) },
  };
}

export function websiteBody({ headRev, history, ...website }: Website) {
  return { ...website, revision: headRev, history: history?.[0] ?? null };
}
