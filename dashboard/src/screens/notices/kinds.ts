import type { NoticeKind } from '../../../../src/vocabulary/notices.ts';

/** Name and description of each kind. */
export const KINDS: Record<NoticeKind, readonly [name: string, description: string]> = {
  'deployment.failed': ['failed deployments', 'A deployment failed; the live version stays.'],
  'check.broken': ['broken targets', 'The target of a redirect no longer works.'],
  'urls.lost': ['lost URLs', 'A change or a deployment left more URLs without a page or a redirect.'],
  'loops.live': ['loops', 'Live redirects lead back to themselves.'],
  'expectations.failing': ['failing expectations', 'An expectation fails with the live rules.'],
  'not_found.burst': ['bursts of 404s', 'Visitors find no page far more often than usual.'],
  'redirect.ends_soon': ['ending redirects', 'A scheduled redirect ends within 7 days.'],
  'key.ends_soon': ['expiring API keys', 'An API key expires within 14 days.'],
  'agent.lagging': ['lagging agents', 'An edge agent serves an old version, or is not seen for 10 minutes.'],
  'webhook.disabled': ['disabled webhooks', 'The service disabled a webhook that kept failing.'],
  'quota.near': ['limits of the plan', 'The account uses 90 % of a limit.'],
  'digest.weekly': ['weekly digest', 'The figures of the week, on Monday at 08:00.'],
};
