/** Holds queries to accounts/website-scope.ts, so that a key limited to websites reaches no other one. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '..', '..', 'src');

/** Files that scope a query by the account alone. What they read or write has no website, or belongs to all of them. */
const BY_ACCOUNT: Record<string, string> = {
  'accounts/': 'users, keys, invitations, the audit log, quotas',
  'webhooks/': 'webhooks, which limited keys cannot reach (surfaces/key-api/webhooks/webhook-plugin.ts)',
  'http/download-link.ts': 'one-time URLs, each with the credential of its caller',
  'notices/': 'notices, which limited keys cannot reach (surfaces/key-api/notices/notices.ts)',
  'websites/delete-account.ts': 'the whole account',
  'checks/automatic/due-starts.ts': 'whether a check of the account ran',
  'checks/create/create-check.ts': 'the targets of the day, and the check that runs',
  'events/signal.ts': 'the notices about a signal',
  'events/outbox.ts': 'the webhooks that receive an event',
  'redirects/import/engine/import-record.ts': 'an import that its own call ends',
  'redirects/import/verdicts/store-verdicts.ts': 'tables of checked files, which only sessions read',
};

const BY_ACCOUNT_ID = /account_id = \$\{|\.accountId, (?:actor\.)?accountId\)/;

test('every other query of an account uses the conditions of website-scope.ts', () => {
  const files = globSync('**/*.ts', { cwd: SRC }).filter((file) =>
    BY_ACCOUNT_ID.test(readFileSync(join(SRC, file), 'utf8')),
  );
  const isListed = (file: string): boolean => Object.keys(BY_ACCOUNT).some((listed) => file.startsWith(listed));
  expect(files.filter((file) => !isListed(file))).toEqual([]);
  // A listed file that no longer needs it is removed from the list.
  const unused = Object.keys(BY_ACCOUNT).filter((listed) => !files.some((file) => file.startsWith(listed)));
  expect(unused).toEqual([]);
});
