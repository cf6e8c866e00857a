/** What the API reference says of an operation that no schema can say. Everything else comes from the route itself. */
import type { ErrorCode } from '../../vocabulary/error.ts';

/** The parts of the reference, in its order, and what each is about. */
export const TAGS = {
  'Signing in':
    'The session of a person. Its cookie is what all other operations of the session API ask for; it lasts 30 days and is prolonged by use.',
  'Account and users': 'The plan with what it allows, and the people who may sign in.',
  'API keys': 'For programs. A key of scope `read` reads, one of scope `write` does what an editor does.',
  Websites:
    'A website has hosts, each of one environment, and options that say how its redirects match. Creating one deploys nothing.',
  Redirects:
    'The working state of a website. What visitors get is the last version that was deployed; with `auto_deploy` every change is deployed by itself.',
  Health:
    'What is wrong with the redirects of a website as they are now; docs/health.md says what each finding is.',
  'Import of files':
    'CSV files as other tools write them. The columns, options and notices are in docs/import.md.',
  Deployments:
    'A deployment publishes the redirects of one environment as its next version. Rolling back and promoting publish rules that are there already.',
  Activity: 'Every event of the account: what happened, and who did it.',
  'Paths not found': 'What visitors asked for and no redirect matched.',
  'Bulk import and export': 'Up to 1,000,000 redirects in one call, in and out again.',
  'Deployments (key API)': 'The same deployments for programs: ids are strings.',
  'Redirect analytics': 'How many redirects there are, when they were created, and what is live.',
  'Hit analytics':
    'Who followed which redirect. The same operations answer under `/api/v1/analytics` and under `/v1/analytics`.',
  Webhooks:
    'Events, signed and sent to a receiver until it takes them. Keys and sessions of the owner manage them; how they are used is in docs/webhooks.md.',
  Operation: 'For whoever runs the service. No credentials, no rate limit.',
} as const;

export type Tag = keyof typeof TAGS;

/** A request as it can be sent to the demo data: a test sends it, and what it answers is what the reference shows. */
export interface Example {
  path?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number | boolean>>;
  /** sent as JSON */
  body?: unknown;
  /** sent as a form: its one file, and its other fields */
  form?: { file: { name: string; text: string }; fields?: Readonly<Record<string, string>> };
}

export interface OperationText {
  /** unique, and the name of the operation in generated clients */
  id: string;
  tag: Tag;
  /** a few words, without a full stop */
  summary: string;
  /** what there is to know beyond the fields */
  text?: string;
  /** what the answer is when it went well */
  answer: string;
  /** the body may not be left out, although each of its fields may */
  needsBody?: true;
  /** codes beyond those that follow from the route itself (credentials, role, plan, how the request is written) */
  errors?: readonly ErrorCode[];
  example?: Example;
}

/** By method and path, such as `GET /api/websites/:id`. */
export type OperationTexts = Readonly<Record<string, OperationText>>;
