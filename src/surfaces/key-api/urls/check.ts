import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { withDecodedBody } from '../../../http/body/decoded-body.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  EnvironmentName,
  listOf,
  nextCursor,
  pageParameters,
  part,
  queryInteger,
  queryObject,
  Timestamp,
  VERSION_CHOICE,
  versionChoice,
  WrittenTime,
} from '../../../http/wire/fields.ts';
import { sendStream } from '../../../http/stream.ts';
import { withZod } from '../../../http/wire/zod.ts';
import { requestError } from '../../../http/wire/zod-issues.ts';
import { DomainError, wrongParameter } from '../../../vocabulary/error.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { LossReasonName, ShadowKindName } from '../../resources/expectation-wire.ts';
import { SECTIONS } from './check-text.ts';
import {
  BODY_ERRORS,
  bodyCounts,
  bodyExamples,
  environment,
  fromHosts,
  listName,
  takeAnyBody,
  URL_TYPES,
  urlParams,
  URLS,
  withUrlBody,
} from './url-wire.ts';

const MAX_ROWS = 1_000;
const MAX_SUGGEST = 100;
const MAX_OPTIONS_BYTES = 64 * 1024;

const texts = {
  against: `The rules: ${VERSION_CHOICE}. Default \`live\`.`,
  at: 'The time of the check. Default now.',
  host: 'The host of the requests, one of the website in this environment. Default: the first that serves rules.',
  suggest: 'The number of lost rows that get suggestions, from the worst on: 0 (default) to 100.',
};

/** The options of a check: a JSON body, or the query string if the body is a list. */
const Options = z.strictObject({
  environment: EnvironmentName.optional().describe('The environment. Default `production`.'),
  against: z
    .union([z.enum(['live', 'draft']), z.int().min(1)])
    .optional()
    .describe(texts.against),
  at: Timestamp.optional().describe(texts.at),
  host: z.string().optional().describe(texts.host),
  suggest: z.int().min(0).max(MAX_SUGGEST).optional().describe(texts.suggest),
});
type Options = z.output<typeof Options>;

const CheckQuery = queryObject({
  living: z.literal('body').optional().describe('`body`: the body is a list of the living pages, for this check only.'),
  section: z.enum(SECTIONS).optional().describe('Only this list, in pages. Default: the first rows of each.'),
  format: z.enum(['json', 'ndjson', 'csv']).optional().describe('`json` (default), or all rows as `ndjson` or `csv`.'),
  ...pageParameters(MAX_ROWS, MAX_ROWS),
  environment,
  against: versionChoice.optional().describe(texts.against),
  at: Timestamp.optional().describe(texts.at),
  host: z.string().optional().describe(texts.host),
  list: listName
    .optional()
    .describe('Of a list in the body: it replaces only this list of the environment. Default: all of its lists.'),
  from_hosts: fromHosts,
  suggest: queryInteger(0, MAX_SUGGEST).optional().describe(texts.suggest),
});

const count = (text: string) => z.int().describe(text);
const Result = z.object({
  check: part('The counts. All but `dangling` are a partition of `urls`.', {
    urls: count('All URLs.'),
    living: count('Living pages that no rule hides.'),
    shadowed: count('Living pages that a rule hides.'),
    redirected: count('URLs whose redirects end elsewhere.'),
    gone: count('URLs that end at a 410 or 451.'),
    lost: count('Removed URLs that nothing answers, and URLs whose redirects end at one or in a loop.'),
    none: count('URLs that were never living and that nothing answers.'),
    dangling: count('Rules whose target on a host of the website is neither living nor answered. 0 without a list.'),
    accepted: count('Lost URLs that match an accepted loss.'),
    loses_at: WrittenTime.nullable().describe('When the next answered URL is lost because a window begins or ends.'),
    duration_ms: count('The duration in milliseconds.'),
  }),
  body: part('Present if the body is a list.', {
    rows: count('All rows.'),
    ignored: bodyCounts.ignored,
    invalid: bodyCounts.invalid,
    ignored_hosts: bodyExamples.ignored_hosts,
    invalid_examples: bodyExamples.invalid_examples,
  }).optional(),
  lost: listOf('Lost URLs, worst first.', {
    url: z.string().describe('The URL.'),
    weight: z.number().describe('10 for each link, and its clicks and hits.'),
    reason: LossReasonName,
    suggestions: listOf('Up to three existing targets with a similar path.', {
      new_path: z.string().describe('The target.'),
      similarity: z.number().describe('The similarity, from 0 to 1.'),
    }),
  }).optional(),
  shadowed: listOf('Hidden living pages, worst first.', {
    url: z.string().describe('The URL.'),
    weight: z.number().describe('10 for each link, and its clicks and hits.'),
    redirect_id: z.string().describe('The id of the rule.'),
    kind: ShadowKindName,
  }).optional(),
  dangling: listOf('Rules without a target, by path.', {
    redirect_id: z.string().describe('The id of the rule.'),
    old_path: z.string().describe('Its path.'),
    new_path: z.string().describe('Its target.'),
  }).optional(),
  next_cursor: nextCursor.optional().describe('With `section`: the cursor of the next page; null on the last page.'),
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
      gives: { [TYPES.json]: Result, [TYPES.ndjson]: z.string(), [TYPES.csv]: z.string() },
    },
    operationId: 'checkUrlsV1',
    tag: 'URLs (key API)',
    summary: 'Check URLs',
    description:
      'Classifies all URLs of a website by the live rules, the current ones (`draft`), or those that a rollback to a version would publish. Changes nothing and counts no hit. Read scope is enough. With `living=body`, the body is a list of living pages instead of options, which are then query parameters. A check ends after 60 s with 503 `BUSY`.',
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
  return send(await readOptions(request));
}

async function readOptions(request: CheckRequest): Promise<Options> {
  if (!request.body) return {};
  const chunks: Buffer[] = [];
  let bytes = 0;
  await withDecodedBody(request, async (body) => {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > MAX_OPTIONS_BYTES)
        throw wrongParameter('body', 'more than 64 KiB of options; add living=body to the query if it is a list');
      chunks.push(chunk);
    }
  });
  if (bytes === 0) return {};
  const data = parseJson(Buffer.concat(chunks).toString());
  const options = Options.safeParse(data);
  if (options.success) return options.data;
  throw requestError('body', options.error.issues, data, Object.keys(Options.shape));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const details = 'The body must be a JSON object of options; add living=body to the query if it is a list';
    throw new DomainError('INVALID_JSON', 'The body is not valid JSON', { details });
  }
}
