import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { LOG_FORMATS } from '../../../formats/read/logs/log-format.ts';
import { takeStreams, withDecodedBody } from '../../../http/body/decoded-body.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { listOf, queryInteger, queryObject, Timestamp, timeZoneName } from '../../../http/wire/fields.ts';
import { type Api, withZod } from '../../../http/wire/zod.ts';
import { listLogDays } from '../../../urls/logs/log-days.ts';
import { isoSeconds, stopwatch } from '../../../platform/clock.ts';
import { createKeyedSemaphore, createSemaphore } from '../../../platform/scheduling/semaphore.ts';
import { busy, type DomainError, missing } from '../../../vocabulary/error.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { environment, urlParams } from './url-wire.ts';

const WAIT_MS = 10_000;
/** The packed counters of a log take up to 256 MiB. */
const MAX_AT_ONCE = 3;
const MAX_WAITING = 100;
const MAX_OFFSET = Number.MAX_SAFE_INTEGER;

const name = z.string().regex(/^[\w.:/-]{1,200}$/, 'must have 1 to 200 letters, digits and any of . _ : / -');

const query = queryObject({
  format: z.enum(LOG_FORMATS).optional().describe('The format. Default: recognized by the first lines.'),
  time_zone: timeZoneName.default('UTC').describe('The zone of times without one. Default `UTC`.'),
  host: z.string().max(253).optional().describe('The host of lines without one: a host of the website.'),
  environment: environment.describe('The environment whose only host lines without one have. Default `production`.'),
  stream: name.default('main').describe('The name of the series of logs, such as one of each server. Default `main`.'),
  file: name.optional().describe('The identity of a file that is followed: the body is a part of it.'),
  offset: queryInteger(0, MAX_OFFSET).optional().describe('Where in `file` the body begins, in bytes.'),
});

const count = (text: string) => z.int().describe(text);
const time = z.iso.datetime().nullable();

const counted = count('Lines that were counted: for a rule, the unmatched list or a URL.');
const uncounted = {
  not_ours: count('Lines of other hosts.'),
  invalid: count('Lines that have another form, are older than the retention of hits, or in the future.'),
  unused: count('Lines of other methods than GET, and lines whose status and URL do not count.'),
};

export const CountedLogBody = z.object({
  logs: z
    .object({
      lines: count('Whole lines, without blank ones and those that only name fields.'),
      counted,
      skipped: count('Lines that were counted before.'),
      ...uncounted,
      from: time.describe('The time of the first counted line; null without any.'),
      until: time.describe('The time of the last counted line; null without any.'),
    })
    .describe('The counts. The last five numbers are the lines together.'),
  format: z.enum(LOG_FORMATS).nullable().describe('The format of the lines; null without any.'),
  offset: z.int().nullable().describe('Where in `file` the next body begins; null without `file`.'),
  examples: listOf('Lines that were not counted: the first of each reason.', {
    line: count('The number of the line in the body, from 1.'),
    reason: z.enum(['invalid', 'not_ours', 'unused']).describe('The count that has the line.'),
    value: z
      .string()
      .describe('The request without its query; of an invalid line only its form: `a` for letters, `0` for digits.'),
  }),
});

const field = (text: string) => z.string().optional().describe(text);

/** Body types for the API reference. The service looks at the content only. */
const LOG_TYPES = {
  'application/json': z.object({
    time: z.union([z.string(), z.number()]).describe('ISO 8601, or seconds or milliseconds since 1970.'),
    host: field('The host of the request.'),
    method: z.string().describe('Its method.'),
    uri: z.string().describe('Its path with the query.'),
    status: z.union([z.int(), z.string()]).describe('The status of the response.'),
    user_agent: field('The user agent.'),
    remote_addr: field('The address of the client.'),
    referer: field('The Referer header.'),
  }),
  'text/plain': z.string(),
};

/** POST /logs. Needs a separate scope, because it reads bodies as streams. */
export async function logRoute(app: FastifyInstance, { jobs }: SurfaceDeps): Promise<void> {
  const withTurn = createKeyedSemaphore<number>(1);
  const withPlace = createSemaphore(MAX_AT_ONCE);
  takeStreams(app, ['*']);
  withZod(app).post('/websites/:id/logs', {
    config: { feature: 'analytics', takes: LOG_TYPES, forDashboard: true },
    operationId: 'countLogV1',
    tag: 'URLs (key API)',
    summary: 'Count an access log',
    description:
      'Counts the requests of an access log of another server or CDN; lines that the service answered itself must be left out. Gzip is known by its bytes; at most 2 GiB unpacked. The longest part at the start that equals an earlier body of the stream is skipped. A failed call counts nothing. docs/logs.md has the formats.',
    returns: 'What was counted.',
    errors: [
      'WEBSITE_NOT_FOUND',
      'VALIDATION_ERROR',
      'MISSING_PARAMETER',
      'TOO_MANY_ITEMS',
      'BODY_TOO_LARGE',
      'EMPTY_BODY',
      'BUSY',
    ],
    example: {
      path: { id: '1' },
      query: { stream: 'web-1' },
      body: {
        time: '2030-01-31T12:00:00Z',
        host: 'shop.example',
        method: 'GET',
        uri: '/old',
        status: 301,
        user_agent: 'Mozilla/5.0',
        remote_addr: '203.0.113.9',
        referer: '',
      },
    },
    params: urlParams,
    querystring: query,
    response: { 200: CountedLogBody },
    async handler(request) {
      const { actor, params } = request;
      const { file, offset, ...options } = request.query;
      if ((file === undefined) !== (offset === undefined))
        throw missing(file === undefined ? 'file' : 'offset', 'file and offset are sent together; send both or none');
      const place = file === undefined || offset === undefined ? undefined : { id: file, offset };
      const input = { websiteId: keyDialect.websiteId.read(params.id), ...options, file: place };
      // The limit in bytes is the same for every plan.
      const work = () => withDecodedBody(request, (body) => jobs.countLog(actor, input, body), 'enterprise');
      const deadline = stopwatch() + WAIT_MS;
      const wait = (error: () => DomainError) => ({ timeoutMs: Math.max(0, deadline - stopwatch()), error });
      const { counts, ...more } = await withTurn(actor.accountId, () => withPlace(work, wait(manyRunning)), {
        ...wait(logRunning),
        maxWaiting: MAX_WAITING,
      });
      const { not_ours: notOurs, from, until, ...logs } = counts;
      return { logs: { ...logs, notOurs, from: timeText(from), until: timeText(until) }, ...more };
    },
  });
}

const timeText = (at: number): string | null => (at === 0 ? null : isoSeconds(new Date(at)));

const manyRunning = (): DomainError =>
  busy('The service is counting other logs; nothing was applied, retry in a few seconds', 10);

const logRunning = (): DomainError =>
  busy('Another log of the account is being counted; nothing was applied, send it again when that has ended', 10);

export const LogDays = z.object({
  logs: listOf('At most 100 days of streams, the latest first.', {
    stream: z.string().describe('The stream.'),
    day: z.string().describe('The day, `YYYY-MM-DD`.'),
    lines: count('Lines that were not counted before.'),
    counted,
    ...uncounted,
    last_line_at: Timestamp.nullable().describe('The time of the last counted line; null without any.'),
    received_at: Timestamp.describe('When the last line arrived.'),
  }),
});

/** GET /logs. */
export function logDaysRoute(api: Api, { db }: SurfaceDeps): void {
  api.get('/websites/:id/logs', {
    config: { feature: 'analytics', forDashboard: true },
    operationId: 'listLogsV1',
    tag: 'URLs (key API)',
    summary: 'List received logs',
    description: 'What arrived of each stream, by day in UTC, for 90 days.',
    returns: 'What was counted.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: '1' } },
    params: urlParams,
    response: { 200: LogDays },
    handler: async ({ actor, params }) => ({
      logs: await listLogDays(db, actor, keyDialect.websiteId.read(params.id)),
    }),
  });
}
