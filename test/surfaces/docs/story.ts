/** Every operation of the reference, in an order in which each example finds the data it needs. */
import { Secret, TOTP } from 'otpauth';
import { EXAMPLE_IDS } from '../../../src/http/route-docs.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape, read for an id
type AnyBody = any;

export interface Step {
  id: string;
  /** an id in the response that later examples use */
  names?: [shown: string, real: (body: AnyBody) => string];
}

const step = (id: string): Step => ({ id });

let totpSecret = '';
/** The code that the app shows, `periods` of 30 s from now: each counts once. */
const codeIn = (periods: number): string =>
  new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: Date.now() + periods * 30_000 });

export const SIGNING_IN: Step[] = [
  step('getHealth'),
  step('getReadiness'),
  step('getMetrics'),
  step('getOpenApi'),
  step('askForCertificate'),
  step('signUp'),
  step('signIn'),
  step('forgotPassword'),
];

export const ACCOUNT: Step[] = [
  step('getSession'),
  step('confirmPassword'),
  {
    id: 'listSessions',
    names: [EXAMPLE_IDS.session, ({ sessions }) => sessions.find((one: AnyBody) => !one.current).id],
  },
  step('endSession'),
  step('getAccount'),
  step('addUser'),
  step('changeRole'),
  step('limitUserV1'),
  step('listUsers'),
  { id: 'resetPassword', names: [EXAMPLE_IDS.resetToken, ({ password_reset: reset }) => reset.url.split('#')[1]] },
  step('removeUser'),
  { id: 'createInvitation', names: [EXAMPLE_IDS.invitationToken, ({ invitation }) => invitation.url.split('#')[1]] },
  step('listInvitations'),
  step('readInvitationLink'),
  step('acceptInvitation'),
  {
    id: 'startTotp',
    names: [
      '123456',
      ({ totp }) => {
        totpSecret = totp.secret;
        return codeIn(0);
      },
    ],
  },
  { id: 'confirmTotp', names: ['654321', () => codeIn(1)] },
  step('renewRecoveryCodes'),
  step('turnOffTotp'),
  { id: 'createApiKey', names: [EXAMPLE_IDS.apiKey, ({ api_key }) => api_key.id] },
  step('listApiKeys'),
  step('renameApiKey'),
  step('rollApiKey'),
  { id: 'listAuditEntries', names: [EXAMPLE_IDS.audit, ({ entries }) => entries[0].id] },
  step('listWebsites'),
  step('createWebsite'),
  step('getWebsite'),
  step('updateWebsite'),
  step('verifyHost'),
  step('listHosts'),
  step('deleteWebsite'),
  step('getAccountV1'),
  step('listWebsitesV1'),
  step('createWebsiteV1'),
  step('getWebsiteV1'),
  step('updateWebsiteV1'),
  step('verifyHostV1'),
  step('addHostsV1'),
  step('removeHostsV1'),
  step('listHostsV1'),
  step('deleteWebsiteV1'),
];

/** With a receiver of a chat. */
export const NOTICES: Step[] = [
  { id: 'createNotice', names: [EXAMPLE_IDS.notice, ({ notice }) => notice.id] },
  step('listNotices'),
  step('getNotice'),
  step('testNotice'),
  step('listNoticeDeliveries'),
  step('updateNotice'),
  step('deleteNotice'),
];

/** With an open invitation. */
export const INVITATION: Step[] = [step('withdrawInvitation')];

export const REDIRECTS: Step[] = [
  step('listGroups'),
  { id: 'createSavedView', names: [EXAMPLE_IDS.view, ({ view }) => view.id] },
  step('listSavedViews'),
  step('updateSavedView'),
  step('deleteSavedView'),
  step('listRedirects'),
  step('createRedirect'),
  step('getRedirect'),
  step('updateRedirect'),
  step('countRedirects'),
  step('checkRedirect'),
  step('testAddress'),
  step('updateRedirects'),
  step('deleteRedirect'),
  { id: 'listEvents', names: [EXAMPLE_IDS.event, ({ events }) => events[0].id] },
  step('restoreRedirect'),
  step('deleteRedirects'),
  { id: 'importFile', names: [EXAMPLE_IDS.import, ({ import_id }) => import_id] },
  step('getImport'),
  step('getImportErrors'),
  step('importRedirectsV1'),
  step('syncRedirectsV1'),
  step('exportRedirectsV1'),
  step('getImportV1'),
  step('listImports'),
  step('listImportsV1'),
  step('importFileV1'),
  step('getImportErrorsV1'),
  step('listGroupsV1'),
  step('listRedirectsV1'),
  step('createRedirectV1'),
  step('getRedirectV1'),
  step('updateRedirectV1'),
  step('countRedirectsV1'),
  step('checkRedirectV1'),
  step('testAddressV1'),
  step('updateRedirectsV1'),
  step('deleteRedirectV1'),
  step('listEventsV1'),
  step('getOverviewV1'),
  step('createDownloadV1'),
  step('restoreRedirectV1'),
  step('deleteRedirectsV1'),
  { id: 'listChanges', names: [EXAMPLE_IDS.change, ({ changes }) => changes[0].id] },
  step('listActivity'),
  step('getChange'),
  step('undoChange'),
  step('getRedirectHistory'),
  step('listChangesV1'),
  step('getChangeV1'),
  step('undoChangeV1'),
  step('discardChanges'),
  step('discardChangesV1'),
  step('getRedirectHistoryV1'),
  step('listActivityV1'),
];

export const DEPLOYMENTS: Step[] = [
  { id: 'deploy', names: [EXAMPLE_IDS.deployment, ({ deployment }) => deployment.id] },
  step('getDeployment'),
  step('listDeploymentFailures'),
  step('listDeployments'),
  step('rollBack'),
  step('promote'),
  step('getFeedV1'),
  step('reportHitsV1'),
  step('listEnvironmentStates'),
  step('listEnvironmentStatesV1'),
  step('listAgents'),
  step('listAgentsV1'),
  step('forgetAgent'),
  step('forgetAgentV1'),
];

/** After a dry run with a report. */
export const CHECKED_FILE: Step[] = ['', 'V1'].flatMap((surface) => [
  step(`listImportRows${surface}`),
  step(`getImportReport${surface}`),
]);

/** With a chain and a duplicate. */
export const HEALTH: Step[] = [
  step('getHealthReport'),
  step('getHealthReportV1'),
  step('listBrokenTargets'),
  step('listBrokenTargetsV1'),
  step('flattenChains'),
  step('flattenChainsV1'),
];

export const EXPECTATIONS: Step[] = ['', 'V1'].flatMap((surface) => [
  step(`replaceExpectations${surface}`),
  step(`addExpectations${surface}`),
  step(`listExpectations${surface}`),
  step(`runExpectations${surface}`),
  step(`deleteExpectation${surface}`),
]);

export const URLS: Step[] = [
  step('pushUrlsV1'),
  step('addUrlsV1'),
  { id: 'openUrlUploadV1', names: [EXAMPLE_IDS.urlUpload, ({ upload }) => upload.id] },
  step('addUrlPartV1'),
  step('commitUrlUploadV1'),
  step('listUrlListsV1'),
  step('restoreUrlListV1'),
  step('listUrlsV1'),
  step('exportUrlsV1'),
  step('checkUrlsV1'),
  step('replaceAcceptedLossesV1'),
  step('listAcceptedLossesV1'),
  step('suggestTargetsV1'),
  step('countLogV1'),
  step('listLogsV1'),
  step('fetchUrlsV1'),
  step('deleteUrlsV1'),
];

export const MOVES: Step[] = [
  { id: 'createMoveV1', names: [EXAMPLE_IDS.move, ({ move }) => move.id] },
  step('listMovesV1'),
  step('searchMoveCandidatesV1'),
  step('listMoveRowsV1'),
  step('decideMoveRowsV1'),
  step('undoMoveStepsV1'),
  step('exportMoveRowsV1'),
  step('importMoveRowsV1'),
  step('listMoveRulesV1'),
  step('applyMoveRuleV1'),
  step('removeMoveRuleV1'),
  step('applyMoveV1'),
  step('refreshMoveV1'),
  step('getMoveV1'),
  step('deleteMoveV1'),
  step('listPathClustersV1'),
  step('decidePathsNotFoundV1'),
];

/** Stopped at once, so that its results are always the same. */
export const CHECKS: Step[] = [
  { id: 'createCheckV1', names: [EXAMPLE_IDS.check, ({ check }) => check.id] },
  step('stopCheckV1'),
  step('listChecksV1'),
  step('getCheckV1'),
  step('listCheckResultsV1'),
  step('listCheckHistoryV1'),
  step('putCheckCredentialsV1'),
];

/** With an undeployed change. */
export const MORE_DEPLOYMENTS: Step[] = [
  step('diffDeployment'),
  step('diffDeploymentV1'),
  step('deployV1'),
  step('getDeploymentV1'),
  step('listDeploymentFailuresV1'),
  step('listDeploymentsV1'),
  step('rollBackV1'),
  step('promoteV1'),
];

/** After visits. */
export const REPORTS: Step[] = [
  step('getAnalyticsV1'),
  step('getWebsiteHits'),
  step('getRedirectHits'),
  step('getGroupHits'),
  step('exportHits'),
  step('getWebsiteHitsAlias'),
  step('getRedirectHitsAlias'),
  step('getGroupHitsAlias'),
  step('exportHitsAlias'),
  step('listPathsNotFound'),
  step('listPathsNotFoundV1'),
  step('ignorePathsNotFound'),
  step('ignorePathsNotFoundV1'),
];

export const WEBHOOKS: Step[] = [
  step('listEventTypes'),
  step('listEventTypesV1'),
  { id: 'createWebhook', names: [EXAMPLE_IDS.webhook, ({ webhook }) => webhook.id] },
  step('listWebhooks'),
  step('getWebhook'),
  step('updateWebhook'),
  step('testWebhook'),
  step('listDeliveries'),
  step('getDelivery'),
  step('redeliver'),
  step('rotateWebhookSecret'),
  step('replayWebhook'),
  step('deleteWebhook'),
];

export const SIGNING_OUT: Step[] = [step('revokeApiKey'), step('changePassword'), step('signOut')];

/** After a sign-in with the new password. */
export const DELETING: Step[] = [step('deleteAccount')];

export const STORY: Step[] = [
  ...SIGNING_IN,
  ...ACCOUNT,
  ...INVITATION,
  ...REDIRECTS,
  ...CHECKED_FILE,
  ...DEPLOYMENTS,
  ...MORE_DEPLOYMENTS,
  ...EXPECTATIONS,
  ...URLS,
  ...MOVES,
  ...CHECKS,
  ...HEALTH,
  ...REPORTS,
  ...WEBHOOKS,
  ...NOTICES,
  ...SIGNING_OUT,
  ...DELETING,
];
