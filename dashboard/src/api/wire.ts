/**
 * What the service answers, in its own words: the types are those of the schemas that it validates and encodes with. Only types cross
 * this line; `z.input` is the JSON side of a codec.
 */
import type { z } from 'zod';
import type { ErrorCode, Issue } from '../../../src/vocabulary/error.ts';
import type { HitsBody, OverviewBody } from '../../../src/surfaces/analytics-api/hits.ts';
import type { ExportQuery } from '../../../src/surfaces/key-api/bulk-wire.ts';
import type { DeliveryBody, LoggedDeliveryBody } from '../../../src/surfaces/key-api/webhook-deliveries.ts';
import type { TestOutcome } from '../../../src/surfaces/key-api/webhook-sending.ts';
import type { SecretWebhookBody, WebhookBody } from '../../../src/surfaces/key-api/webhooks.ts';
import type { diffSchema } from '../../../src/surfaces/resources/deployment-diff.ts';
import type { SessionWire } from '../../../src/surfaces/resources/dialect.ts';
import type { importSchema } from '../../../src/surfaces/resources/imports.ts';
import type { deploymentSchema } from '../../../src/surfaces/resources/deployments.ts';
import type { EventList, TypedEvent } from '../../../src/surfaces/session-api/events.ts';
import type { HealthBody } from '../../../src/surfaces/session-api/health-report.ts';
import type { flattenedBody } from '../../../src/surfaces/session-api/health.ts';
import type { FileImportBody } from '../../../src/surfaces/session-api/csv-import.ts';
import type { ImportRowBody } from '../../../src/surfaces/session-api/import-rows.ts';
import type { checkedSchema } from '../../../src/surfaces/resources/redirects/check-wire.ts';
import type { MissingPathList } from '../../../src/surfaces/session-api/not-found.ts';
import type { redirectSchema } from '../../../src/surfaces/resources/redirects/wire.ts';
import type { testedSchema } from '../../../src/surfaces/resources/redirects/test.ts';
import type { websiteFields, websiteSchema } from '../../../src/surfaces/resources/websites.ts';
import type { Account, AccountUser } from '../../../src/surfaces/session-api/account.ts';
import type { SignedIn, UserSession } from '../../../src/surfaces/session-api/auth.ts';
import type { AccountKey, CreatedKey } from '../../../src/surfaces/session-api/keys.ts';

export type User = z.input<typeof SignedIn>;
export type AccountAnswer = z.input<typeof Account>;
export type UserAnswer = z.input<typeof AccountUser>;
export type SessionAnswer = z.input<typeof UserSession>;
export type ApiKey = z.input<typeof AccountKey>;
export type CreatedApiKey = z.input<typeof CreatedKey>;
export type Website = z.input<ReturnType<typeof websiteSchema<SessionWire>>>;
export type WebsiteFields = z.input<z.ZodObject<typeof websiteFields>> & { name: string };
export type Redirect = z.input<ReturnType<typeof redirectSchema<SessionWire>>>;
export type ExportFormat = NonNullable<z.input<typeof ExportQuery>['format']>;
export type RedirectCheck = z.input<ReturnType<typeof checkedSchema<SessionWire>>>;
export type Deployment = z.input<ReturnType<typeof deploymentSchema<SessionWire>>>;
/** What a deployment would change now: the first 1,000 of each kind, the counts exact. */
export type Diff = z.input<ReturnType<typeof diffSchema<SessionWire>>>;
/** What the live rules do with an address, and why. */
export type TestAnswer = z.input<ReturnType<typeof testedSchema<SessionWire>>>;
/** What is wrong with a website's redirects, a page of it; the counts are of everything. */
export type HealthPage = z.input<typeof HealthBody>;
export type Flattened = ReturnType<typeof flattenedBody>;
export type MissingPathPage = z.input<typeof MissingPathList>;
export type MissingPath = MissingPathPage['paths'][number];
/** Hits of people in a period, today (UTC) first; bots are counted apart. */
export type Hits = z.input<typeof HitsBody>;
export type Overview = z.input<typeof OverviewBody>;
export type ActivityEvent = TypedEvent;
export type EventPage = Omit<z.input<typeof EventList>, 'events'> & { events: ActivityEvent[] };
export type Webhook = z.input<typeof WebhookBody>;
export type SecretWebhook = z.input<typeof SecretWebhookBody>;
export type Delivery = z.input<typeof DeliveryBody>;
/** What the receiver did with a test. */
export type WebhookTest = z.input<typeof TestOutcome>;
export type LoggedDelivery = z.input<typeof LoggedDeliveryBody>;
export type ImportAnswer = z.input<ReturnType<typeof importSchema<SessionWire>>>;
/** What became of a file, or would. */
export type FileImported = z.input<typeof FileImportBody>;
/** A row of a file that was checked, with its verdict. */
export type CheckedRow = z.input<typeof ImportRowBody>;

/** What a redirect can be written with. */
export type RedirectFields = Pick<
  Redirect,
  'old_path' | 'new_path' | 'status_code' | 'is_regex' | 'group_id' | 'notes' | 'target_environments'
>;

/** The body of every error, but for the 429. */
export interface ErrorAnswer {
  error: string;
  details: string;
  code: ErrorCode;
  issues?: Issue[];
}
