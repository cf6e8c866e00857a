import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { withDecodedBody } from '../../../http/body/decoded-body.ts';
import { readJsonObject } from '../../../http/body/json-object.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  EnvironmentName,
  pageParameters,
  queryInteger,
  queryObject,
  Timestamp,
  VERSION_CHOICE,
  versionChoice,
} from '../../../http/wire/fields.ts';
import { sendStream } from '../../../http/stream.ts';
import { withZod } from '../../../http/wire/zod.ts';
import { wrongParameter } from '../../../vocabulary/error.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { CheckBody, SECTIONS } from './check-text.ts';
import { BODY_ERRORS, fromHosts, listName, takeAnyBody, URL_TYPES, urlParams, URLS, withUrlBody } from './url-wire.ts';

const MAX_ROWS = 1_000;
const MAX_SUGGEST = 100;
const MAX_OPTIONS_BYTES = 64 * 1024;

/** The options of a check, with the types of a JSON body or of a query string. */
const optionsOf = <Against extends z.ZodType, Suggest extends z.ZodType>(against: Against, suggest: Suggest) => ({
  environment: EnvironmentName.optional().describe('The environment. Default `production`.'),
  against: against.optional().describe(`The rules: ${VERSION_CHOICE}. Default \`live\`.`),
  at: Timestamp.optional().describe('The time of the check. Default now.'),
  host: z
    .string()
    .optional()
    .describe(
      'The host of the requests, one of the website in this environment. Default: the first that serves rules.',
    ),
  suggest: suggest
    .optional()
    .describe('The number of lost rows that get suggestions, from the worst on: 0 (default) to 100.'),
});

const Options = z.strictObject(
  optionsOf(z.union([z.enum(['live', 'draft']), z.int().min(1)]), z.int().min(0).max(MAX_SUGGEST)),
);
type Options = z.output<typeof Options>;

const CheckQuery = queryObject({
  living: z.literal('body').optional().describe('`body`: the body is a list of the living pages, for this check only.'),
  section: z.enum(SECTIONS).optional().describe('Only this list, in pages. Default: the first rows of each.'),
  format: z.enum(['json', 'ndjson', 'csv']).optional().describe('`json` (default), or all rows as `ndjson` or `csv`.'),
  ...pageParameters(MAX_ROWS, MAX_ROWS),
  ...optionsOf(versionChoice, queryInteger(0, MAX_SUGGEST)),
  list: listName
    .optional()
    .describe('Of a list in the body: it replaces only this list of the environment. Default: all of its lists.'),
  from_hosts: fromHosts
    .removeDefault()
    .optional()
    .describe('Of a list in the body: further hosts that count as those of the website, separated by commas.'),
});

const TYPES = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

/** POST /urls/check. Needs a separate scope, because it reads bodies as streams. */
export async function urlCheckRoute(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  takeAnyBody(app);
  withZod(app).post(`${URLS}/check`, {
    config: {
      role: 'viewer',
      forDashboard: true,
      takes: { ...URL_TYPES, 'application/json': Options },
      gives: { [TYPES.json]: CheckBody, [TYPES.ndjson]: z.string(), [TYPES.csv]: z.string() },
    },
    operationId: 'checkUrlsV1',
    tag: 'URLs (key API)',
    summary: 'Check URLs',
    description:
      'Classifies all URLs of a website by the live rules, the current ones (`draft`), or those that a rollback to a version would publish. Counts no hit. Read scope is enough. With `living=body`, the body is a list of living pages, and the options are query parameters. A check ends after 60 s with 503 `BUSY`.',
    returns: 'The counts, and the first rows of each list, worst first.',
    errors: [...BODY_ERRORS, 'VERSION_NOT_FOUND', 'VERSION_EXPIRED'],
    example: { path: { id: '1' }, query: { limit: 2 }, body: { against: 'draft' } },
    params: urlParams,
    querystring: CheckQuery,
    handler: (request, reply) => check(deps, request, reply),
  });
}

type CheckRequest = FastifyRequest<{ Params: { id: number | string }; Querystring: Record<string, unknown> }>;

async function check({ jobs, streamShares }: SurfaceDeps, request: CheckRequest, reply: FastifyReply) {
  const { actor, params } = request;
  const {
    living,
    section,
    format = 'json',
    limit = MAX_ROWS,
    cursor,
    ...rest
  } = request.query as z.output<typeof CheckQuery>;
  if (cursor !== undefined && section === undefined) throw wrongParameter('cursor', 'needs section: it pages one list');
  if (format !== 'json' && request.query['limit'] !== undefined)
    throw wrongParameter('limit', `applies to JSON; ${format} has all rows`);
  const page = { section, format, limit, cursor };
  const send = (options: Options, body?: { path: string; maxBytes: number }) => {
    const { environment: at = 'production', against = 'live', suggest = 0, ...more } = options;
    const input = {
      websiteId: keyDialect.websiteId.read(params.id),
      environment: at,
      against,
      suggest,
      ...more,
      ...page,
      body,
    };
    void reply.type(`${TYPES[format]}; charset=utf-8`);
    return sendStream(reply, streamShares.jobs(actor), () => jobs.checkUrls(actor, input));
  };
  // The first chunk is sent when the list is read, so its file may end with the call.
  if (living) return withUrlBody(request, (body) => send(rest, body));
  const [misplaced] = Object.keys(rest);
  if (misplaced !== undefined) throw wrongParameter(misplaced, 'must be a field of the body, unless living=body');
  if (!request.body) return send({});
  return send(await withDecodedBody(request, (body) => readJsonObject(body, Options, MAX_OPTIONS_BYTES, REMEDIES)));
}

const REMEDIES = {
  tooLarge: 'body: at most 64 KiB of options; add living=body to the query if it is a list',
  notJson: 'body: send a JSON object of options; add living=body to the query if it is a list',
};
