/** The documentation of a route: keys of its `schema` that the API reference reads beside the zod schemas. */
import type { ErrorCode } from '../vocabulary/error.ts';

/** The parts of the reference in the order in which it shows them, and a sentence about each. */
export const TAGS = {
  'Signing in':
    'Sessions of users. Every other operation of the session API takes the session cookie. A session lasts 30 days; each use extends it, up to 90 days after the sign-in.',
  'Account and users': 'The plan with its limits, and the users who may sign in.',
  'API keys':
    'Credentials for programs. Scope `read` may read, and report the hits of agents; scope `write` may do what an editor may do. A key may be limited to websites.',
  Websites: 'A website has hosts, one environment each, and options for matching. Creating a website deploys nothing.',
  Redirects:
    'The current rules of a website, undeployed changes included. Visitors get the last deployed version. With `auto_deploy`, every change is deployed automatically.',
  Health: 'Problems in the current rules of a website. docs/health.md explains each finding.',
  'Import of files': 'CSV files in the formats of common tools. docs/import.md lists the columns, options and notices.',
  Deployments:
    'A deployment publishes the rules of one environment as its next version. Rollback and promotion publish an existing version.',
  Feeds:
    'The live rules for followers outside of the service: agents and libraries at the edge, and servers. docs/feed.md explains how to follow a feed.',
  Expectations:
    'What visitors of a website must get. They can be run against any version, and be a condition of deployments. docs/expectations.md explains them.',
  Activity: 'Every event of the account: what happened, and who did it.',
  Changes:
    'Every write to the redirects of a website in the last 30 days, with what it did to each redirect. Undoing one gives all of them back. docs/changes.md explains conflicts.',
  'Changes (key API)': 'The operations on changes of the key API, where ids are strings.',
  'Paths not found': 'Requested paths that no redirect matched.',
  'Websites (key API)': 'The operations of websites for programs, where ids are strings.',
  'Redirects (key API)':
    'The operations of redirects for programs: ids are strings, lists of environments are arrays, and every list is paged.',
  'Health (key API)': 'Problems in the current rules, and requested paths that no redirect matched.',
  'Account and activity (key API)': 'Plan and usage of the account, and every event.',
  'Bulk import and export': 'Up to 1,000,000 redirects in one call.',
  'Deployments (key API)': 'The deployment operations of the key API, where ids are strings.',
  'Expectations (key API)': 'The operations of expectations for programs.',
  'URLs (key API)': 'The URLs of a website: lists of living pages, and what each URL gets. docs/urls.md explains them.',
  'Moves (key API)':
    'A move decides for many URLs of an old website where they go, with suggestions. docs/moves.md explains them.',
  'Checks (key API)': 'A check asks targets, redirects or pages over the network, and says which no longer work.',
  Notices: 'Messages by mail, Slack, Teams or Discord when something happens. docs/notices.md explains them.',
  'Redirect analytics': 'Number of redirects, when they were created, and how many are live.',
  'Hit analytics':
    'Hits of a website or a redirect. The same operations exist under `/api/v1/analytics` and `/v1/analytics`.',
  Webhooks:
    'Signed events, sent to a receiver with retries. Only owners manage webhooks, with an API key or a session. docs/webhooks.md explains how to receive them.',
  Operation:
    'Endpoints for the operator, not counted by the rate limit of accounts. The probes and `/api/tls/ask` need no credentials.',
} as const;

export type Tag = keyof typeof TAGS;

/** An example request. test/contract/openapi.test.ts sends it to the demo data and records the response. */
export interface ExampleRequest {
  path?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number | boolean>>;
  /** sent as JSON */
  body?: unknown;
  /** sent as a multipart form with one file */
  form?: { file: { name: string; text: string }; fields?: Readonly<Record<string, string>> };
}

/** Ids that are random in the service. The contract test replaces the recorded ones by these. */
export const EXAMPLE_IDS = {
  session: 'ses_3kQ9vXc2LrT7mWzB5nHdYa',
  invitation: 'inv_4TzQ8kWc3YrN7mXbL1pHdV',
  invitationToken: 'q0V3mXc7Zr2LkT9wYb5NdJ8sHf4Gp1uEa6RiCtOvKxM',
  resetToken: 'Bwsk9SXcvTHKBWYAwv7RIv7x3nBhhWQRHvPrr7Haieg',
  apiKey: 'key_8RfJ2wNq4TzC6xLbVd0GsM',
  audit: '019aa6c4-8b10-7a41-9c3e-52d7f0a4b1e8',
  deployment: 'dep_5fJ2mQx8Kc0VtY7RnB3wHa',
  import: 'imp_0LtV6yWk3Qe9ZsXc1MdRpB',
  checkedFile: 'imp_7mVd2QkXr9Lw4TsZc0HbYn',
  urlUpload: 'upl_6XdW3mQk8Tz1LcVb5NyRhG',
  move: 'mov_9KcT4vQx2Lw7RzYb1NmHpS',
  check: 'chk_3VbT7yQm9Kc2LwRz5XhNdP',
  notice: 'ntc_5RwL8kXc2TzQ7mVbN1pHdY',
  change: 'chg_2vYk8TqWm4Zc7LxRb9NdHs',
  view: 'vw_6HcP1zWt9Qk4XmRb7LdNyV',
  event: '019aa6c4-9d2e-7cc1-8f4b-3e6a1d5c7b20',
  webhook: 'wh_7GhT1bYv5KqXz9RcNw2LsD',
} as const;

/** Errors of every write of a rule. Several problems become VALIDATION_ERROR, with each in `issues`. */
export const RULE_ERRORS: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'INVALID_REGEX',
  'TOO_MANY_PATTERNS',
  'REDIRECT_LOOP',
  'BUSY',
];

/** Errors with which an import fails as a whole, before it changes anything. */
export const IMPORT_ERRORS: readonly ErrorCode[] = [
  'WEBSITE_NOT_FOUND',
  'PLAN_LIMIT_EXCEEDED',
  'TOO_MANY_REDIRECTS',
  'VALIDATION_ERROR',
  'BUSY',
];

/** The same of a body with entries. */
export const ENTRY_ERRORS: readonly ErrorCode[] = [
  ...IMPORT_ERRORS,
  'DUPLICATE_FIELD',
  'UNKNOWN_COLUMN',
  'DUPLICATE_COLUMN',
];

/** Texts of the API reference about a route, beside its schemas. */
export interface RouteDocs {
  /** unique; the name of the operation in generated clients and the anchor on the page */
  operationId?: string;
  tag?: Tag;
  /** a few words without a full stop */
  summary?: string;
  /** what the fields do not say */
  description?: string;
  /** the description of the success response */
  returns?: string;
  /** codes beyond those that follow from the route's credentials, role, plan and body */
  errors?: readonly ErrorCode[];
  /** the body is required although each of its fields is optional */
  bodyRequired?: true;
  /** headers of the success response beyond those of every response */
  responseHeaders?: readonly ('Set-Cookie' | 'Content-Disposition' | 'ETag')[];
  example?: ExampleRequest;
}

declare module 'fastify' {
  interface FastifySchema extends RouteDocs {}
}
