/** Parts of the document that all operations share: the introduction, error bodies, headers and credentials. */
import { ERROR_CODES } from '../../vocabulary/error.ts';
import type { Schema } from './json-schema.ts';

export const INTRODUCTION = `Detour stores redirects, deploys them to environments, serves them to visitors, counts hits and notifies other systems by webhooks.

There are two kinds of access. The **session API** (\`/api/...\`) is for browsers and takes the session cookie. The **key API** (\`/api/v1/...\`, \`/v1/...\`, \`/api/webhooks\`) is for programs and takes an API key as bearer token. Neither accepts the credential of the other.

- **Errors** have one body. \`code\` is one of a closed list; \`details\` names the field and the fix.
- **Rate limit**: requests per calendar minute and account: 100 on the plan free, 1,000 on pro, 5,000 on business, 20,000 on enterprise. Without credentials: 100 for each IP address.
- **Times** are in UTC with whole seconds. Days and periods are in UTC too.
- **Compatibility**: within this version, fields are only added. A request with an unknown field is rejected.`;

const text = (description: string): Schema => ({ type: 'string', description });
const count = (description: string): Schema => ({ type: 'integer', description });

export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: {
    type: 'object',
    description: 'The body of every error except 429.',
    required: ['error', 'details', 'code', 'timestamp'],
    properties: {
      error: text('What went wrong, in one sentence.'),
      details: text('The field and how to fix it.'),
      code: { ...text('The error code.'), enum: Object.keys(ERROR_CODES) },
      timestamp: { ...text('When the error occurred.'), format: 'date-time' },
      issues: {
        type: 'array',
        description: 'One entry for each invalid field.',
        items: {
          type: 'object',
          required: ['path', 'code', 'message'],
          properties: {
            path: text('The field, such as `hosts[0].hostname`.'),
            code: text('The error code of this field.'),
            message: text('What the field must be.'),
          },
        },
      },
      errors: {
        type: 'array',
        description: 'The first 1,000 invalid entries of a body that is applied as a whole or not at all.',
        items: {
          type: 'object',
          required: ['code', 'message'],
          properties: {
            index: count('The position in the body, from 0.'),
            line: count('Of a CSV file: the line; of redirects, it replaces the position.'),
            old_path: { ...text('The path of a redirect; null if it has none.'), type: ['string', 'null'] },
            url: { ...text('The URL of an expectation; null if it has none.'), type: ['string', 'null'] },
            field: text('The invalid field of an expectation; `row` if it cannot be read.'),
            code: text('The error code.'),
            message: text('What is wrong and what is expected.'),
          },
        },
      },
      sync: {
        type: 'object',
        description: 'With `TOO_MANY_DELETES`: what the sync would do.',
        properties: {
          created: count('Redirects that would be created.'),
          updated: count('Redirects that would be changed.'),
          deleted: count('Redirects that would be deleted.'),
          unchanged: count('Redirects that would stay as they are.'),
        },
      },
      total: count(
        'With `TOO_MANY_DELETES`: the redirects of the website or group. With `TOO_MANY_GONE`: the URLs of the list.',
      ),
      max_delete: count('With `TOO_MANY_DELETES`: the number of redirects that may be deleted.'),
      removed: count('With `TOO_MANY_GONE`: the URLs that would leave the list.'),
      max_removed: count('With `TOO_MANY_GONE`: the number of URLs that may leave the list.'),
      list_version: count('With `REVISION_CHANGED` of a list of URLs: its current version.'),
      ignored_hosts: {
        type: 'array',
        description: 'With `NO_OWN_URL`: the first ten hosts of the body.',
        items: {
          type: 'object',
          required: ['host', 'rows', 'reason'],
          properties: {
            host: text('The host.'),
            rows: count('Its rows.'),
            reason: text('`other_host` or `domain_redirect`.'),
          },
        },
      },
      revision: count('With `REVISION_CHANGED`: the current revision of the website.'),
      history: { type: ['string', 'null'], description: 'With `REVISION_CHANGED`: the history of that revision.' },
      changed_by: {
        type: ['object', 'null'],
        description: 'With `CHANGED_SINCE`: who made the last change; null if it is not known.',
        properties: {
          type: text('`user`, `key` or `system`.'),
          id: text('The id of the user or key; empty for the service.'),
          name: text('The email of the user, the name of the key, or `system`.'),
        },
      },
      changed_at: { ...text('With `CHANGED_SINCE`: when it was last changed.'), format: 'date-time' },
      redirect: { type: 'object', description: 'With `CHANGED_SINCE` of a redirect: its current state.' },
      website: { type: 'object', description: 'With `CHANGED_SINCE` of a website: its current state.' },
      mail: { type: 'boolean', description: 'Without a session: whether the service sends mail.' },
    },
  },
  RateLimited: {
    type: 'object',
    description: 'The body of a 429.',
    required: ['error', 'code', 'limit', 'reset'],
    properties: {
      error: text('What went wrong, in one sentence.'),
      code: text('`RATE_LIMIT_EXCEEDED`.'),
      limit: count('The number of requests allowed.'),
      reset: count('The epoch second at which requests are accepted again.'),
    },
  },
};

const HEADERS = {
  'X-Request-Id': text('The id of this request in the service log.'),
  'X-RateLimit-Limit': count('Requests that the account may send per minute.'),
  'X-RateLimit-Remaining': count('Requests left in this minute.'),
  'X-RateLimit-Reset': count('The epoch second at which the next minute begins.'),
  'Retry-After': count('Seconds to wait before a retry.'),
  'Set-Cookie': text('Sets the session cookie, or clears it.'),
  'Content-Disposition': text('The suggested file name.'),
  ETag: text('Changes when the content does. `If-None-Match` with it makes the response 304.'),
  'WWW-Authenticate': text('The credential of the path: `Bearer` for a key or token, `Cookie` for the session cookie.'),
} as const satisfies Record<string, Schema>;

export type Header = keyof typeof HEADERS;

export const COMPONENT_HEADERS = Object.fromEntries(
  Object.entries(HEADERS).map(([name, { description, ...schema }]) => [name, { description, schema }]),
);

export function securitySchemes(cookieName: string): Record<string, object> {
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key (`dtr_...`). Requires the plan pro, business or enterprise.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookieName,
      description: 'The cookie set by signing in. A browser may send writes only from a page of the service itself.',
    },
  };
}
