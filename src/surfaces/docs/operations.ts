import type { OperationTexts } from './operation-text.ts';
import { ACCOUNT_TEXTS } from './operations/accounts.ts';
import { DEPLOYMENT_TEXTS } from './operations/deployments.ts';
import { FILE_TEXTS } from './operations/files.ts';
import { REDIRECT_TEXTS } from './operations/redirects.ts';
import { REPORT_TEXTS, SERVICE_TEXTS } from './operations/reports.ts';
import { WEBHOOK_TEXTS } from './operations/webhooks.ts';
import { WEBSITE_TEXTS } from './operations/websites.ts';

/** Every operation of the service. A new route gets its lines in one of the files of `operations/`; a test names those that lack them. */
export const OPERATIONS: OperationTexts = {
  ...ACCOUNT_TEXTS,
  ...WEBSITE_TEXTS,
  ...REDIRECT_TEXTS,
  ...FILE_TEXTS,
  ...DEPLOYMENT_TEXTS,
  ...REPORT_TEXTS,
  ...WEBHOOK_TEXTS,
  ...SERVICE_TEXTS,
};
