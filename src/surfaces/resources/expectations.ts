import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { listExpectations, RESULTS } from '../../expectations/list.ts';
import { deleteExpectation } from '../../expectations/write.ts';
import {
  ENTRY_TYPES,
  type EntryFormat,
  entryFormat,
  takeStreams,
  withDecodedBody,
} from '../../http/body/decoded-body.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import {
  bodyObject,
  EnvironmentName,
  maxDelete,
  Message,
  nextCursor,
  pageParameters,
  queryObject,
  part,
  searchText,
} from '../../http/wire/fields.ts';
import { sendStream } from '../../http/stream.ts';
import { wireWriter } from '../../http/wire/wire-names.ts';
import { type Api, withZod } from '../../http/wire/zod.ts';
import { type ErrorCode, wrongParameter } from '../../vocabulary/error.ts';
import type { Dialect } from './dialect.ts';
import { ExpectationBody, ExpectationEntry, ExpectationFailure } from './expectation-wire.ts';

const PATH = '/websites/:id/expectations';
const DEFAULT_LIMIT = 100;

const FORMATS = Object.keys(ENTRY_TYPES) as EntryFormat[];
const typeOf = (format: EntryFormat): string => `${ENTRY_TYPES[format]}; charset=utf-8`;

/** GET, DELETE /websites/{id}/expectations; POST .../run. */
export function expectationRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db } = deps;
  const { path, read } = dialect.websiteId;
  const params = z.object({ id: path });
  const List = z.object({
    expectations: z.array(ExpectationBody).describe('The expectations.'),
    next_cursor: nextCursor,
    outdated: z
      .array(EnvironmentName)
      .describe(
        'Environments whose results are older than the live version, the settings or the expectations. The service renews them, usually within seconds.',
      ),
  });

  const write = wireWriter(List);
  app.get(PATH, {
    config: {
      reads: true,
      gives: { [ENTRY_TYPES.json]: List, [ENTRY_TYPES.ndjson]: ExpectationEntry, [ENTRY_TYPES.csv]: z.string() },
    },
    exposeHeadRoute: false,
    params,
    ...dialect.operation('listExpectations', 'expectations'),
    summary: 'List expectations',
    description:
      '`json` is a page, with the last results. `ndjson` and `csv` have all expectations of one snapshot, as a body for `PUT`.',
    returns: 'The expectations by environment and canonical URL, in byte order.',
    errors: ['WEBSITE_NOT_FOUND', 'BUSY'],
    responseHeaders: ['Content-Disposition'],
    example: { path: { id: dialect.writeId(1) }, query: { environment: 'production', limit: 2 } },
    querystring: queryObject({
      environment: EnvironmentName.optional().describe('Only expectations of this environment.'),
      format: z.enum(FORMATS).optional().describe('The format: `json` (default), `ndjson` or `csv`.'),
      q: searchText.optional().describe('Of a page: only expectations with this text in their URL, ignoring case.'),
      result: z
        .enum(RESULTS)
        .optional()
        .describe('Of a page: only expectations whose last result is this: `fails`, `holds`, or `none` without one.'),
      sort: z
        .enum(['url', 'result'])
        .optional()
        .describe('Of a page: by `url` (default), or by `result`, those that fail first.'),
      ...pageParameters(1_000, DEFAULT_LIMIT),
    }),
    async handler({ actor, params: { id }, query }, reply) {
      const { environment, q, result, format = 'json', sort = 'url', limit = DEFAULT_LIMIT, cursor } = query;
      const scope = { websiteId: read(id), environment };
      if (format !== 'json') {
        const [filter] = Object.entries({ q, result }).filter(([, value]) => value !== undefined);
        if (filter)
          throw wrongParameter(filter[0], `must not be sent with format=${format}, which has all expectations`);
        void reply.type(typeOf(format)).header('Content-Disposition', `attachment; filename="expectations.${format}"`);
        const file = () => deps.jobs.exportExpectations(actor, { ...scope, format });
        return sendStream(reply, deps.streamShares.jobs(actor), file);
      }
      return write(await listExpectations(db, actor, { ...scope, q, result, sort, limit, cursor }));
    },
  });

  app.delete(PATH, {
    params,
    ...dialect.operation('deleteExpectation', 'expectations'),
    summary: 'Delete an expectation',
    returns: 'The expectation is deleted.',
    errors: ['WEBSITE_NOT_FOUND', 'EXPECTATION_NOT_FOUND', 'BUSY'],
    example: { path: { id: dialect.writeId(1) }, query: { url: '/discontinued' } },
    querystring: queryObject({
      url: z.string().min(1).describe('The URL of the expectation, in any equivalent spelling.'),
      environment: EnvironmentName.optional().describe('Its environment. Default `production`.'),
    }),
    response: { 200: Message },
    async handler({ actor, params: { id }, query: { url, environment = 'production' } }) {
      await deleteExpectation(db, actor, { websiteId: read(id), url, environment });
      return { message: `The expectation of ${url} in ${environment} is deleted` };
    },
  });
  runRoute(app, deps, dialect);
}

function runRoute(app: Api, { jobs, streamShares }: SurfaceDeps, dialect: Dialect): void {
  const Result = z.object({
    run: part('Exact counts.', {
      passed: z.int().describe('Expectations that hold.'),
      failed: z.int().describe('Expectations that do not hold.'),
      duration_ms: z.int().describe('The duration in milliseconds.'),
    }),
    failures: z.array(ExpectationFailure).describe('The first 1,000 that do not hold.'),
  });
  app.post(`${PATH}/run`, {
    config: { role: 'viewer', gives: { [ENTRY_TYPES.json]: Result } },
    ...dialect.operation('runExpectations', 'expectations'),
    summary: 'Run expectations',
    description:
      'Compares all expectations of an environment with the answers of the live rules, the current ones (`draft`), or those that a rollback to a version would publish. Counts no hit. A run against the live rules of the environment stores the results in the list. Read scope is enough. A run ends after 60 s with 503 `BUSY`.',
    returns: 'How many hold, and the first 1,000 that do not.',
    errors: ['WEBSITE_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_EXPIRED', 'VALIDATION_ERROR', 'BUSY'],
    example: { path: { id: dialect.writeId(1) }, body: { environment: 'production', against: 'draft' } },
    params: z.object({ id: dialect.websiteId.path }),
    body: bodyObject({
      environment: EnvironmentName.optional().describe('The environment. Default `production`.'),
      against: z
        .union([z.enum(['live', 'draft']), z.int().min(1)])
        .optional()
        .describe('`live` (default), `draft` (the current redirects) or the number of a version.'),
      against_environment: EnvironmentName.optional().describe(
        'The environment of these rules, to preview a promotion. Default: `environment`.',
      ),
    }),
    async handler(
      { actor, params: { id }, body: { environment = 'production', against = 'live', againstEnvironment } },
      reply,
    ) {
      const input = { websiteId: dialect.websiteId.read(id), environment, against, againstEnvironment };
      return sendStream(reply.type(typeOf('json')), streamShares.jobs(actor), () => jobs.runExpectations(actor, input));
    },
  });
}

const WRITE_ERRORS: readonly ErrorCode[] = [
  'WEBSITE_NOT_FOUND',
  'VALIDATION_ERROR',
  'TOO_MANY_ITEMS',
  'UNKNOWN_COLUMN',
  'DUPLICATE_COLUMN',
  'DUPLICATE_FIELD',
  'PLAN_LIMIT_EXCEEDED',
  'TOO_MANY_DELETES',
  'BUSY',
];

const ReplaceQuery = queryObject({
  max_delete: maxDelete
    .optional()
    .describe(
      'The most expectations that may be deleted: a count, or a percentage (`20%`) of those before the call. With more, nothing is applied. Default `10%`, and at least 10; none if the body has no entries.',
    ),
});

const Written = z.object({
  created: z.int().describe('New expectations.'),
  updated: z.int().describe('Existing expectations that changed.'),
  deleted: z.int().describe('Deleted expectations.'),
});

/** PUT, POST /websites/{id}/expectations. Needs a separate scope, because it parses bodies as streams. */
export async function expectationBodyRoutes(app: FastifyInstance, deps: SurfaceDeps, dialect: Dialect): Promise<void> {
  takeStreams(app, Object.values(ENTRY_TYPES));
  const api = withZod(app);
  const Body = z.strictObject({ expectations: z.array(ExpectationEntry).describe('The expectations.') });
  const takes = { [ENTRY_TYPES.json]: Body, [ENTRY_TYPES.ndjson]: ExpectationEntry, [ENTRY_TYPES.csv]: z.string() };
  const add = {
    method: 'post',
    operationId: 'addExpectations',
    summary: 'Add or update expectations',
    description:
      'Adds the expectations of the body, at most 10,000, and updates those with the same URL and environment.',
    entries: [{ url: '/discontinued', status_code: 410 }],
  } as const;
  const replace = {
    method: 'put',
    operationId: 'replaceExpectations',
    summary: 'Replace expectations',
    description:
      'Afterwards the website has exactly the expectations of the body, in all environments: at most 1,000,000, and as many as the plan has redirects.',
    entries: [
      { url: '/old-page', status_code: 301, location: '/new-page' },
      { url: '/sale', status_code: 301, location: '/offers/summer' },
      { url: '/admin', status_code: 404 },
    ],
  } as const;
  for (const { method, operationId, summary, description, entries } of [replace, add]) {
    api[method](PATH, {
      config: { takes },
      ...dialect.operation(operationId, 'expectations'),
      summary,
      description: `${description} As JSON, as \`application/x-ndjson\` with one entry per line, or as \`text/csv\` with a header; all may be gzipped. If an entry is invalid, nothing is applied, and \`errors\` lists the first 1,000.`,
      returns: 'What changed.',
      errors: WRITE_ERRORS,
      example: { path: { id: dialect.writeId(1) }, body: { expectations: entries } },
      params: z.object({ id: dialect.websiteId.path }),
      querystring: method === 'put' ? ReplaceQuery : queryObject({}),
      response: { 200: Written },
      async handler(request) {
        const websiteId = dialect.websiteId.read(request.params.id);
        const input = { websiteId, format: entryFormat(request), replaces: method === 'put', ...request.query };
        return withDecodedBody(request, (body) => deps.jobs.writeExpectations(request.actor, input, body));
      },
    });
  }
}
