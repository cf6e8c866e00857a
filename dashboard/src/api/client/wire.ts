/**
 * Response types, derived from the service's own schemas (`z.input` is the JSON side of a codec). Only types are
 * imported.
 */
import type { WebsiteRoles } from '../../../../src/vocabulary/actor.ts';
import type { z } from 'zod';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { UndoConflict } from '../../../../src/vocabulary/kinds.ts';
import type { LossReason, ShadowKind, UrlAnswer } from '../../../../src/vocabulary/urls.ts';
import type { ErrorCode, Issue } from '../../../../src/vocabulary/error.ts';
import type { GroupsBody, HitsBody, OverviewBody } from '../../../../src/surfaces/analytics-api/hits-wire.ts';
import type { ExportQuery } from '../../../../src/surfaces/key-api/bulk-wire.ts';
import type { Accepted } from '../../../../src/surfaces/key-api/urls/accepted.ts';
import type { List as UrlListBody } from '../../../../src/surfaces/key-api/urls/lists.ts';
import type { CountedLogBody, LogDays } from '../../../../src/surfaces/key-api/urls/logs.ts';
import type { SuggestedPages as SuggestedPagesBody } from '../../../../src/surfaces/key-api/urls/suggestions.ts';
import type { Pushed } from '../../../../src/surfaces/key-api/urls/url-wire.ts';
import type { CheckBody, ListedCheck } from '../../../../src/surfaces/key-api/checks/check-wire.ts';
import type {
  Entry as PastResultBody,
  Result as CheckResultBody,
} from '../../../../src/surfaces/key-api/checks/results.ts';
import type { AppliedBody } from '../../../../src/surfaces/key-api/moves/apply-wire.ts';
import type { ClustersBody } from '../../../../src/surfaces/key-api/moves/not-found.ts';
import type { ListedMove, Move as MoveBody } from '../../../../src/surfaces/key-api/moves/move-wire.ts';
import type { Decided as DecidedBody, RowBody } from '../../../../src/surfaces/key-api/moves/row-wire.ts';
import type {
  NoticeDelivery as NoticeDeliveryBody,
  NoticeTest as NoticeTestBody,
} from '../../../../src/surfaces/key-api/notices/notice-deliveries.ts';
import type { NoticeBody } from '../../../../src/surfaces/key-api/notices/notice-wire.ts';
import type { SavedView as SavedViewBody } from '../../../../src/surfaces/session-api/saved-views.ts';
import type { UrlBody } from '../../../../src/surfaces/key-api/urls/urls.ts';
import type {
  DeliveryBody,
  ListedDelivery as ListedDeliveryBody,
  LoggedDeliveryBody,
} from '../../../../src/surfaces/key-api/webhooks/webhook-deliveries.ts';
import type { TestOutcome } from '../../../../src/surfaces/key-api/webhooks/webhook-sending.ts';
import type { SecretWebhookBody, WebhookBody } from '../../../../src/surfaces/key-api/webhooks/webhooks.ts';
import type { AgentList } from '../../../../src/surfaces/resources/agents.ts';
import type { changeItemSchema, changeSchema, historySchema } from '../../../../src/surfaces/resources/change-wire.ts';
import type { diffSchema } from '../../../../src/surfaces/resources/deployments/deployment-diff.ts';
import type { EnvironmentStates } from '../../../../src/surfaces/resources/deployments/environment-states.ts';
import type { SessionWire } from '../../../../src/surfaces/resources/dialect.ts';
import type {
  ExpectationBody,
  ExpectationFailure as ExpectationFailureBody,
  GateFailure as GateFailureBody,
} from '../../../../src/surfaces/resources/expectation-wire.ts';
import type { FileImportBody } from '../../../../src/surfaces/resources/imports/file-import-route.ts';
import type { importRowSchema } from '../../../../src/surfaces/resources/imports/import-rows.ts';
import type { importSchema } from '../../../../src/surfaces/resources/imports/imports.ts';
import type { deploymentSchema } from '../../../../src/surfaces/resources/deployments/deployment-wire.ts';
import type { activityList } from '../../../../src/surfaces/resources/activity.ts';
import type { AuditList } from '../../../../src/surfaces/session-api/audit.ts';
import type { accountSchema } from '../../../../src/surfaces/resources/account.ts';
import type { GroupList } from '../../../../src/surfaces/resources/groups.ts';
import type { brokenTargetSchema } from '../../../../src/surfaces/resources/health-targets.ts';
import type { OverviewResponse } from '../../../../src/surfaces/resources/overview.ts';
import type { healthSchema } from '../../../../src/surfaces/resources/health-report.ts';
import type { flattenedSchema } from '../../../../src/surfaces/resources/health.ts';
import type { checkedSchema } from '../../../../src/surfaces/resources/redirects/check-wire.ts';
import type { missingPathList } from '../../../../src/surfaces/resources/not-found.ts';
import type { redirectSchema } from '../../../../src/surfaces/resources/redirects/wire.ts';
import type { resolvedSchema } from '../../../../src/surfaces/resources/redirects/resolved-urls.ts';
import type { testedSchema } from '../../../../src/surfaces/resources/redirects/tested-url.ts';
import type { HostStateBody } from '../../../../src/surfaces/resources/websites/host-states.ts';
import type { websiteFields, websiteSchema } from '../../../../src/surfaces/resources/websites/websites.ts';
import type { AccountUser, ListedUser as ListedUserBody } from '../../../../src/surfaces/session-api/account.ts';
import type { SignedIn, TotpState, UserSession } from '../../../../src/surfaces/session-api/auth.ts';
import type {
  CreatedInvitation as CreatedInvitationBody,
  PasswordResetBody,
  InvitationBody,
  LinkBody,
} from '../../../../src/surfaces/session-api/invitations.ts';
import type { AccountKey, CreatedKey } from '../../../../src/surfaces/session-api/keys.ts';
import type { NewTotp as NewTotpBody } from '../../../../src/surfaces/session-api/totp.ts';

/** `website_roles`: null or absent unless the user is limited to websites. */
export type User = z.input<typeof SignedIn> & { website_roles?: WebsiteRoles | null };
export type AccountDetails = z.input<ReturnType<typeof accountSchema<SessionWire>>>;
export type AccountUserDetails = z.input<typeof AccountUser>;
export type ListedUser = z.input<typeof ListedUserBody>;
export type SessionDetails = z.input<typeof UserSession>;
export type OpenInvitation = z.input<typeof InvitationBody>;
export type CreatedInvitation = z.input<typeof CreatedInvitationBody>;
export type PasswordReset = z.input<typeof PasswordResetBody>;
/** The purpose of a link: an invitation, or a password reset. */
export type InvitationLink = z.input<typeof LinkBody>;
export type Totp = z.input<typeof TotpState>;
export type NewTotp = z.input<typeof NewTotpBody>;
export type ApiKey = z.input<typeof AccountKey>;
export type CreatedApiKey = z.input<typeof CreatedKey>;
/** When a website is checked by itself. `hour`: 0 to 23; `weekday`: of `weekly`, 1 (Monday) to 7. */
export type CheckSchedule = Record<'hour' | 'weekday', number> & {
  every: 'off' | 'daily' | 'weekly';
  time_zone: string;
};
interface CheckSettings {
  check_schedule?: CheckSchedule;
  check_after_deployment?: boolean;
}

export type AccountOverview = z.input<typeof OverviewResponse>;
export type Need = AccountOverview['items'][number];
export type WebsiteFigures = AccountOverview['websites'][number];
export type Website = z.input<ReturnType<typeof websiteSchema<SessionWire>>> & CheckSettings;
export type HostState = z.input<typeof HostStateBody>;
export type WebsiteFields = z.input<z.ZodObject<typeof websiteFields>> & CheckSettings & { name: string };
export type Redirect = z.input<ReturnType<typeof redirectSchema<SessionWire>>>;
export type ExportFormat = NonNullable<z.input<typeof ExportQuery>['format']>;
export type RedirectCheck = z.input<ReturnType<typeof checkedSchema<SessionWire>>>;
export type CountedLog = z.input<typeof CountedLogBody>;
export type LogDay = z.input<typeof LogDays>['logs'][number];
export type Agent = z.input<typeof AgentList>['agents'][number];
export type EnvironmentState = z.input<typeof EnvironmentStates>['environments'][number];
export type Deployment = z.input<ReturnType<typeof deploymentSchema<SessionWire>>>;
/** The changes that a deployment would publish: the first 1,000 of each kind, with exact counts. */
export type Diff = z.input<ReturnType<typeof diffSchema<SessionWire>>>;
/** The response of the live rules to a URL, and why. */
export type TestedUrl = z.input<ReturnType<typeof testedSchema<SessionWire>>>;
export type SuggestedPages = z.input<typeof SuggestedPagesBody>;
export type ResolvedUrls = z.input<ReturnType<typeof resolvedSchema<SessionWire>>>;
export type GroupPage = z.input<typeof GroupList>;
/** A page of a website's findings. The counts cover all pages. */
export type HealthPage = z.input<ReturnType<typeof healthSchema<SessionWire>>>;
/** A redirect whose target does not work, with other pages of the website. */
export type BrokenTarget = z.input<ReturnType<typeof brokenTargetSchema<SessionWire>>>;
export type Flattened = z.input<ReturnType<typeof flattenedSchema<SessionWire>>>;
export type MissingPathPage = z.input<ReturnType<typeof missingPathList<SessionWire>>>;
export type MissingPath = MissingPathPage['paths'][number];
export type MissingPathCluster = z.input<typeof ClustersBody>['clusters'][number];
export type Decided = z.input<typeof AppliedBody>;
/** Human hits of a period, today (UTC) first; bots are counted separately. */
export type Hits = z.input<typeof HitsBody>;
export type Overview = z.input<typeof OverviewBody>;
export type GroupHits = z.input<typeof GroupsBody>;
export type ActivityPage = z.input<ReturnType<typeof activityList<SessionWire>>>;
/** A change of redirects, a deployment or a change of settings. */
export type ActivityEntry = ActivityPage['activity'][number];
export type AuditPage = z.input<typeof AuditList>;
export type AuditEntry = AuditPage['entries'][number];
export type Webhook = z.input<typeof WebhookBody>;
export type SecretWebhook = z.input<typeof SecretWebhookBody>;
export type Delivery = z.input<typeof DeliveryBody>;
export type ListedDelivery = z.input<typeof ListedDeliveryBody>;
/** The receiver's response to a test event. */
export type WebhookTest = z.input<typeof TestOutcome>;
export type LoggedDelivery = z.input<typeof LoggedDeliveryBody>;
export type Notice = z.input<typeof NoticeBody>;
export type NoticeDelivery = z.input<typeof NoticeDeliveryBody>;
/** The response of the channel to a test message. */
export type NoticeTest = z.input<typeof NoticeTestBody>;
export type ImportState = z.input<ReturnType<typeof importSchema<SessionWire>>>;
/** The result of an import, or of a dry run. */
export type FileImported = z.input<typeof FileImportBody>;
/** A row of a checked file, with its verdict. */
export type CheckedRow = z.input<ReturnType<typeof importRowSchema<SessionWire>>>;

/** The response that a URL must have. */
export type ListedExpectation = z.input<typeof ExpectationBody>;
/** The same without its last result, as it is written. */
export type Expectation = Omit<ListedExpectation, 'result' | 'result_since' | 'actual'>;
/** An expectation that does not hold. */
export type ExpectationFailure = z.input<typeof ExpectationFailureBody>;
/** The same of a deployment, or a URL of the list that it would lose or hide. */
export type GateFailure = z.input<typeof GateFailureBody>;
export type ExpectedResponse = ExpectationFailure['expected'];
export interface ExpectationRun {
  run: { passed: number; failed: number; duration_ms: number };
  /** the first 1,000 */
  failures: ExpectationFailure[];
}

/** An address of a website, with what answers it. */
export type WebsiteUrl = z.input<typeof UrlBody>;
export type UrlList = z.input<typeof UrlListBody>;
/** The result of a push, or of its dry run. */
export type PushedUrls = z.input<typeof Pushed>;
/** The counts of all URLs by their answer, and the first 1,000 lost and hidden ones, worst first. */
export interface UrlCheck {
  check: Record<UrlAnswer, number> & { urls: number };
  lost: { url: string; weight: number; reason: LossReason }[];
  shadowed: { url: string; weight: number; redirect_id: string; kind: ShadowKind }[];
}
/** Lost URLs that count apart and block no deployment: those that the glob matches. */
export type AcceptedLoss = z.input<typeof Accepted>['accepted'][number];

/** One write to the redirects of a website. */
export type Change = z.input<ReturnType<typeof changeSchema<SessionWire>>>;
/** A redirect of a change. `before` is null if the change created it, `after` if it deleted it. */
export type ChangeItem = z.input<ReturnType<typeof changeItemSchema<SessionWire>>>;
export type HistoryEntry = z.input<ReturnType<typeof historySchema<SessionWire>>>;
/** The result of undoing a change, or of its dry run. */
export interface Undone {
  undo: { restored: number; recreated: number; deleted: number; conflicts: number };
  /** the first 1,000 */
  conflicts: { redirect_id: number; old_path: string; code: UndoConflict }[];
  /** null for a dry run, or if nothing changed */
  change_id: string | null;
}

/** The result of discarding changes that wait for a deployment, or of its dry run. */
export interface Discarded extends Omit<Undone, 'undo'> {
  discard: Undone['undo'];
  /** whose rules it changes */
  environments: Environment[];
}

/** The editable fields of a redirect. */
export type RedirectFields = Pick<
  Redirect,
  | 'old_path'
  | 'new_path'
  | 'status_code'
  | 'is_regex'
  | 'group_id'
  | 'notes'
  | 'target_environments'
  | 'active_from'
  | 'active_until'
>;

/** The body of every error response except 429. */
export interface ErrorResponse {
  error: string;
  details: string;
  code: ErrorCode;
  issues?: Issue[];
  /** CHANGED_SINCE: who changed it, and its state now */
  changed_by?: { name: string } | null;
  changed_at?: string;
  redirect?: Redirect;
  website?: Website;
  /** of a list in the body, the first 1,000 */
  errors?: InvalidEntry[];
}

export interface InvalidEntry {
  field: string;
  code: ErrorCode;
  message: string;
}
export type MoveSummary = z.input<typeof ListedMove>;
export type Move = z.input<typeof MoveBody>;
export type MoveRow = z.input<typeof RowBody>;
export type DecidedRows = z.input<typeof DecidedBody>;
export type ListedLiveCheck = z.input<typeof ListedCheck>;
export type LiveCheck = z.input<typeof CheckBody>;
/** A target of a check, and what it found there. */
export type LiveCheckResult = z.input<typeof CheckResultBody>;
/** The result of a URL in one check. */
export type PastResult = z.input<typeof PastResultBody>;
export type SavedView = z.input<typeof SavedViewBody>;
