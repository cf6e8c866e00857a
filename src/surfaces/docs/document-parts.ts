/** Parts of the document that are the same for all operations: errors and headers. */
import type { TableRoute } from '../../http/route-table.ts';
import { ERROR_CODES, type ErrorCode } from '../../vocabulary/error.ts';
import { audienceOf } from './operation-errors.ts';
import type { OperationText } from './operation-text.ts';
import type { Schema } from './schema-book.ts';

export const INTRODUCTION = `Detour stores redirects, deploys them to environments, answers visitors, counts hits and tells other systems by webhooks.

Two kinds of access: the **session API** (\`/api/...\`) for people takes the cookie that signing in sets; the **key API** (\`/api/v1/...\`, \`/v1/...\`, \`/api/webhooks\`) for programs takes an API key as bearer token. Each takes its own credential only.

- **Errors** have one body; \`code\` is one of a closed list, \`details\` names the field and the remedy.
- **Rate limit**: a budget for each minute of the clock, one for the account: 100 requests on the plan free, 1,000 on pro, 5,000 on business, 20,000 on enterprise; without credentials 100 for an address.
- **Times** are UTC in whole seconds; days and periods are UTC too.
- **Fields are only added** within this version. A request with a field that is not known is refused by name.`;

const text = (description: string): Schema => ({ type: 'string', description });
const count = (description: string): Schema => ({ type: 'integer', description });

export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: {
    type: 'object',
    description: 'The body of every error but 429.',
    required: ['error', 'details', 'code', 'timestamp'],
    properties: {
      error: text('What happened, in one sentence.'),
      details: text('The field it is about, and what to do.'),
      code: { ...text('What happened, for programs.'), enum: Object.keys(ERROR_CODES) },
      timestamp: { ...text('When it happened.'), format: 'date-time' },
      issues: {
        type: 'array',
        description: 'Each field that is wrong.',
        items: {
          type: 'object',
          required: ['path', 'code', 'message'],
          properties: {
            path: text('The field, such as `hosts[0].hostname`.'),
            code: text('What is wrong with it.'),
            message: text('What it must be.'),
          },
        },
      },
    },
  },
  RateLimited: {
    type: 'object',
    description: 'The body of a 429.',
    required: ['error', 'limit', 'reset'],
    properties: {
      error: text('What happened, in one sentence.'),
      limit: count('How many requests were allowed.'),
      reset: count('The epoch second from which on requests are taken again.'),
    },
  },
};

/** The error body with the codes that this operation answers under this status. */
export function shownCodes(status: number, codes: ErrorCode[]): Schema {
  if (status === 429) return { $ref: '#/components/schemas/RateLimited' };
  return { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] };
}

const HEADERS = {
  'X-Request-Id': text('Names this request in the log of the service.'),
  'X-RateLimit-Limit': count('Requests that the account may send in a minute.'),
  'X-RateLimit-Remaining': count('How many of them are left in this minute.'),
  'X-RateLimit-Reset': count('The epoch second at which the next minute begins.'),
  'Retry-After': count('Seconds until it is worth asking again.'),
  'Set-Cookie': text('The session, or its end.'),
  'Content-Disposition': text('The name under which a browser keeps the file.'),
  'WWW-Authenticate': text('`Bearer`: an API key is asked for.'),
} as const satisfies Record<string, Schema>;

type Header = keyof typeof HEADERS;

export const COMPONENT_HEADERS = Object.fromEntries(
  Object.entries(HEADERS).map(([name, { description, ...schema }]) => [name, { description, schema }]),
);

const COOKIE_OPERATIONS = new Set(['signUp', 'signIn', 'signOut']);
const FILE_OPERATIONS = new Set(['exportRedirectsV1', 'getImportErrors']);

/** The headers of an answer, as references. */
export function headersOf(
  { url }: TableRoute,
  { id }: OperationText,
  status: number,
): Record<string, object> {
  const audience = audienceOf(url);
  const isSuccess = status < 300;
  const names: Header[] = [
    'X-Request-Id',
    ...(audience === 'service'
      ? []
      : (['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const)),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(isSuccess && COOKIE_OPERATIONS.has(id) ? (['Set-Cookie'] as const) : []),
    ...(isSuccess && FILE_OPERATIONS.has(id) ? (['Content-Disposition'] as const) : []),
    ...(status === 401 && audience === 'key' ? (['WWW-Authenticate'] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
