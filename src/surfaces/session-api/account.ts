import { z } from 'zod';
import { accountWithUsage } from '../../accounts/account.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import type { Api } from '../../http/zod.ts';
import { Account, toAccount } from './wire.ts';

export function accountRoutes(api: Api, { db, clock }: SurfaceDeps): void {
  api.get(
    '/account',
    { schema: { response: { 200: z.object({ account: Account }) } } },
    async ({ actor }) => ({
      account: toAccount(await accountWithUsage(db, actor, clock.now())),
    }),
  );
}
