/** Parameters, bodies and counts that the routes of URLs share. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { takeStreams, withDecodedBody } from '../../../http/body/decoded-body.ts';
import { withSpooledBody } from '../../../http/body/spool.ts';
import { EnvironmentName, listOf, maxDelete, queryBoolean, queryInteger } from '../../../http/wire/fields.ts';
import { maxBodyBytes } from '../../../vocabulary/call-limits.ts';
import type { ErrorCode } from '../../../vocabulary/error.ts';
import { MAX_URL_BYTES } from '../../../vocabulary/urls.ts';
import { keyDialect } from '../../resources/dialect.ts';

export const URLS = '/websites/:id/urls';

export const urlParams = z.object({ id: keyDialect.websiteId.path });

export const environment = EnvironmentName.default('production').describe('The environment. Default `production`.');

export const listName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._:-]{0,63}$/i, 'must have 1 to 64 letters, digits, dots, colons, dashes and underscores')
  .describe('The name of the list. Default `main`.');

export const fromHosts = z
  .codec(z.string(), z.array(z.string()), {
    decode: (text) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    encode: (names) => names.join(','),
  })
  .default([])
  .describe('Further hosts whose URLs count as those of the website, separated by commas.');

/** The conditions of a write of a list, in a query string. */
export const pushQuery = {
  max_removed: maxDelete
    .optional()
    .describe(
      'The most URLs that may leave the list: a count, or a percentage (`20%`) of those before the call. With more, nothing is applied. Default `10%`, and at least 10; none if no URL of the body is living.',
    ),
  if_list_version: queryInteger(0, 999_999_999)
    .optional()
    .describe('The version of the list that the client has seen; 409 `REVISION_CHANGED` if it has another one.'),
  dry_run: queryBoolean.default(false).describe('Counts and checks, and changes nothing. Default false.'),
};

const count = (text: string) => z.int().describe(text);

/** Rows of a body that are in no list. */
export const unusedRows = {
  ignored: count('Rows on other hosts.'),
  invalid: count('Rows without a valid address.'),
};
export const bodyCounts = { merged: count('Rows after the first one of the same URL.'), ...unusedRows };

/** Beside the counts: what explains them. */
export const unusedExamples = {
  ignored_hosts: listOf('The first ten hosts of ignored rows.', {
    host: z.string().describe('The host.'),
    rows: count('Its rows.'),
    reason: z
      .enum(['other_host', 'domain_redirect'])
      .describe('`other_host`: not one of the website. `domain_redirect`: it redirects as a whole.'),
  }),
  invalid_examples: listOf('The first ten invalid rows.', {
    line: count('The line, or the position of an entry from 0.'),
    value: z.string().describe('The row, at most 200 characters.'),
    code: z.string().describe('The reason.'),
  }),
};
export const bodyExamples = {
  merged_examples: z.array(z.string()).describe('The first ten URLs with several rows.'),
  merged_parameters: z
    .array(z.string())
    .describe('Query parameters of these rows that do not identify a page (`page_parameters` of the website).'),
  ...unusedExamples,
};

export const Pushed = z.object({
  urls: z
    .object({
      total: count('Living URLs of the body: added, revived and unchanged.'),
      added: count('URLs that the list did not have.'),
      revived: count('URLs that had been removed.'),
      removed: count('URLs of the list that the body does not have.'),
      unchanged: count('URLs that the list had.'),
      ...bodyCounts,
      not_living: count('URLs that are noindex, have another canonical, or were not answered with 200.'),
    })
    .describe('The counts. The rows of the body are total, merged, ignored, invalid and not_living together.'),
  list_version: z.int().describe('The version of the list.'),
  ...bodyExamples,
});

/** Errors of every body with URLs. */
export const BODY_ERRORS: readonly ErrorCode[] = [
  'WEBSITE_NOT_FOUND',
  'VALIDATION_ERROR',
  'EMPTY_BODY',
  'NO_OWN_URL',
  'DTD_NOT_ALLOWED',
  'INVALID_XML',
  'SITEMAP_INDEX',
  'MISSING_COLUMN',
  'TOO_MANY_URLS',
  'TOO_MANY_ITEMS',
  'PLAN_LIMIT_EXCEEDED',
  'BODY_TOO_LARGE',
  'BUSY',
];

const Row = z.object({
  url: z.string().max(MAX_URL_BYTES).describe('An address on a host of the website, or a path.'),
  title: z.string().optional().describe('The title of the page.'),
  description: z.string().optional().describe('Its meta description.'),
  headline: z.string().optional().describe('Its first headline.'),
  clicks: z.int().optional().describe('Clicks of a search engine.'),
  links: z.int().optional().describe('Links from other websites.'),
  status: z.int().optional().describe('The status of the page; other than 200: it is not living.'),
});

/** Body types for the API reference. The service looks at the content only. */
export const URL_TYPES = {
  'application/json': z.object({ urls: z.array(z.union([z.string(), Row])).describe('The URLs.') }),
  'application/x-ndjson': Row,
  'text/csv': z.string(),
  'text/plain': z.string(),
  'application/xml': z.string(),
};

export const BODY_FORMS =
  'The body is a sitemap, a plain list, JSON, NDJSON or CSV, also gzipped; its content decides. docs/urls.md lists the files of tools.';

/** Gives the routes of the scope unparsed bodies of any media type. */
export const takeAnyBody = (app: FastifyInstance): void => takeStreams(app, ['*']);

/** Stores the body of a request on disk, then calls `work`. One body of an account at a time. */
export async function withUrlBody<T>(
  request: FastifyRequest,
  work: (body: { path: string; maxBytes: number }) => Promise<T>,
): Promise<T> {
  const maxBytes = maxBodyBytes(request.actor.plan);
  return withDecodedBody(request, (body) => withSpooledBody(request.actor, body, (path) => work({ path, maxBytes })));
}
