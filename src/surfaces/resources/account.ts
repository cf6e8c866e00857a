import { z } from 'zod';
import { type AccountWithUsage, accountWithUsage } from '../../accounts/account.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { Timestamp, component, part } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { PLAN_NAMES, PLANS } from '../../vocabulary/plan.ts';
import type { Dialect, Wire } from './dialect.ts';

export function accountSchema<W extends Wire>({ id, named }: Dialect<W>) {
  return component(named('Account'), {
    id: id.describe('The id of the account.'),
    plan: z.enum(PLAN_NAMES).describe('The plan of the account.'),
    created_at: Timestamp.describe('When it was created.'),
    usage: part('The current usage.', {
      users: z.int().describe('Users of the account.'),
      api_keys: z.int().describe('Valid API keys.'),
      websites: z.int().describe('Websites of the account.'),
      redirects: z.int().describe('Redirects of all websites.'),
      urls: z.int().describe('URLs of all websites, without those that only visitors added.'),
    }),
    limits: part('The limits of the plan.', {
      requests_per_minute: z.int().describe('Requests per minute of all users and keys together.'),
      redirects_per_bulk_call: z.int().describe('Redirects in one bulk call or file.'),
      websites: z.int().describe('Websites of the account.'),
      redirects: z.int().describe('Redirects of all websites.'),
      urls: z.int().describe('URLs of all websites.'),
      api_access: z.boolean().describe('Whether API keys work.'),
      analytics: z.boolean().describe('Whether analytics is available.'),
      webhooks: z.boolean().describe('Whether webhooks can be created and are sent.'),
    }),
  });
}

function accountBody(account: AccountWithUsage) {
  const { bulkImportMax, maxWebsites, maxRedirects, maxUrls, ...limits } = PLANS[account.plan];
  const most = { redirectsPerBulkCall: bulkImportMax, websites: maxWebsites, redirects: maxRedirects, urls: maxUrls };
  return { ...account, limits: { ...limits, ...most } };
}

export function accountRoute(api: Api, { db, clock }: SurfaceDeps, dialect: Dialect): void {
  api.get('/account', {
    ...dialect.operation('getAccount', 'account'),
    summary: 'Show the account',
    returns: 'The plan, its limits and the current usage.',
    example: {},
    response: { 200: z.object({ account: accountSchema(dialect).describe('The account.') }) },
    handler: async ({ actor }) => ({ account: accountBody(await accountWithUsage(db, actor, clock.now())) }),
  });
}
