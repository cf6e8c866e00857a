/**
 * What the service answers, in its own words: the types are those of the schemas that it validates and encodes with. Only types cross
 * this line; `z.input` is the JSON side of a codec.
 */
import type { z } from 'zod';
import type { ErrorCode, Issue } from '../../../src/vocabulary/error.ts';
import type {
  DeliveryBody,
  LoggedDeliveryBody,
  SecretWebhookBody,
  WebhookBody,
} from '../../../src/surfaces/key-api/webhook-wire.ts';
import type { DeploymentBody } from '../../../src/surfaces/session-api/deployment-wire.ts';
import type { importBody } from '../../../src/surfaces/session-api/import-wire.ts';
import type { redirectBody } from '../../../src/surfaces/session-api/redirect-wire.ts';
import type { WebsiteBody, websiteFields } from '../../../src/surfaces/session-api/website-wire.ts';
import type {
  Account,
  AccountKey,
  AccountUser,
  CreatedKey,
  SignedIn,
  UserSession,
} from '../../../src/surfaces/session-api/wire.ts';

export type User = z.input<typeof SignedIn>;
export type AccountAnswer = z.input<typeof Account>;
export type UserAnswer = z.input<typeof AccountUser>;
export type SessionAnswer = z.input<typeof UserSession>;
export type ApiKey = z.input<typeof AccountKey>;
export type CreatedApiKey = z.input<typeof CreatedKey>;
export type Website = z.input<typeof WebsiteBody>;
export type WebsiteFields = z.input<z.ZodObject<typeof websiteFields>> & { name: string };
export type Redirect = ReturnType<typeof redirectBody>;
export type Deployment = z.input<typeof DeploymentBody>;
export type Webhook = z.input<typeof WebhookBody>;
export type SecretWebhook = z.input<typeof SecretWebhookBody>;
export type Delivery = z.input<typeof DeliveryBody>;
export type LoggedDelivery = z.input<typeof LoggedDeliveryBody>;
export type ImportAnswer = ReturnType<typeof importBody>;

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
