/** The body and the response of POST /api/v1/feeds/{website_id}/{environment}/hits. */
import { z } from 'zod';
import { AGENT_CLASSES } from '../../hits/count/assistants.ts';
import type { HitReport } from '../../hits/reported/count-report.ts';
import { readJsonObject } from '../../http/body/json-object.ts';
import { name, Timestamp } from '../../http/wire/fields.ts';
import type { ErrorCode } from '../../vocabulary/error.ts';

const MAX_HITS = 5_000;
const MAX_BYTES = 1024 * 1024;
const MAX_TEXT = 8_192;
const MAX_ADDRESS = 64;
/** Ten minutes: no response takes longer. */
const MAX_MICROS = 600_000_000;

const text = z.string().max(MAX_TEXT);

const redirectId = z.codec(
  z.string().regex(/^(?:0|[1-9]\d{0,14})$/, 'must be the id of a redirect, or null'),
  z.int(),
  { decode: Number, encode: String },
);

const Hit = z
  .strictObject({
    at: Timestamp.describe('When the agent answered: a time in UTC. A fraction of a second is cut.'),
    redirect_id: redirectId
      .nullable()
      .describe(
        'The id of the redirect that matched; null if none did; `0` if the host redirects as a whole. An unknown one counts as `0`: for the website only.',
      ),
    path: text.optional().describe('The path. Required if no redirect matched, and not counted otherwise.'),
    referrer: text.optional().describe('The header Referer. Only its host is counted.'),
    utm_source: text
      .optional()
      .describe('The value of the query parameter `utm_source`, as in the URL. Not counted if no redirect matched.'),
    address: z
      .string()
      .max(MAX_ADDRESS)
      .describe('The IP address of the client. Tells visitors and their countries apart, and is not stored.'),
    user_agent: text.optional().describe('The header User-Agent. Tells visitors and bots apart, and is not stored.'),
    agent_class: z
      .enum(AGENT_CLASSES)
      .optional()
      .describe(
        'The class of the user agent, if the agent knows it. Default: `bot` or `person` by the user agent. An assistant without it counts as a bot: its agent does not know the class.',
      ),
    country: z
      .string()
      .max(MAX_ADDRESS)
      .optional()
      .describe(
        'The ISO 3166 code of the country, if a proxy in front of the agent knows it. Default: by the address.',
      ),
    micros: z
      .number()
      .min(0)
      .max(MAX_MICROS)
      .optional()
      .describe('The time from the request to its answer, in microseconds. Default 0.'),
  })
  .refine(({ redirect_id: id, path }) => id !== null || path !== undefined, {
    path: ['path'],
    params: { code: 'MISSING_PARAMETER' satisfies ErrorCode },
    message: 'is required if redirect_id is null',
  });

export const HitReportBody = z.strictObject({
  agent: name.describe('The name of the agent, 1 to 200 characters.'),
  series: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have 1 to 64 letters, digits, _ and -')
    .optional()
    .describe(
      'Names the batches of one start of the agent. An agent that loses its numbers begins another series, so that no batch counts as sent before.',
    ),
  batch: z.int().min(1).describe('The number of the batch, higher than all before it in the series.'),
  hits: z.array(Hit).max(MAX_HITS).describe('The hits: GET requests only, at most 5,000.'),
});

export const CountedReportBody = z.object({
  accepted: z.int().describe('Hits that this request has counted: all of the batch, or none.'),
  duplicate: z.boolean().describe('Whether this batch, or a later one of the series, was counted before.'),
  last_batch: z.int().describe('The highest number that was counted in the series. Continue above it.'),
});

/** Reads a whole body. Throws BODY_TOO_LARGE, INVALID_JSON, and the error of invalid fields. */
export async function readHitReport(
  body: AsyncIterable<Buffer>,
): Promise<Pick<HitReport, 'agent' | 'series' | 'batch' | 'hits'>> {
  const remedies = { tooLarge: 'body: at most 1 MiB; send the hits in smaller batches' };
  const { series = '', hits, ...report } = await readJsonObject(body, HitReportBody, MAX_BYTES, remedies);
  return {
    ...report,
    series,
    hits: hits.map(({ path = '', userAgent = '', micros = 0, referrer, utmSource, country, agentClass, ...hit }) => ({
      ...hit,
      ...{ path, userAgent, micros, referrer, utmSource, country, agentClass },
    })),
  };
}
