import type { Db } from '../db/client.ts';
import { websiteEnvironments, websites } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import { checkFallbackIsElsewhere, checkWebsite, type WebsiteInput } from './check-website.ts';
import { storeHosts } from './store-hosts.ts';
import { requireWebsite, type Website } from './website.ts';
import { writeTransaction } from './write-website.ts';

/** A new website of the account, with nothing deployed. `name` is required. 422 and CONFLICT as checkWebsite and storeHosts. */
export async function createWebsite(
  db: Db,
  actor: Actor,
  input: WebsiteInput & { name: string },
  serviceHost: string,
): Promise<Website> {
  const { hosts = [], ...options } = checkWebsite(input, serviceHost);
  checkFallbackIsElsewhere(options.fallbackUrl ?? null, hosts);
  return writeTransaction(db, actor, async (tx) => {
    const [row] = await tx
      .insert(websites)
      .values({ ...options, name: input.name, accountId: actor.accountId })
      .returning({ id: websites.id });
    if (!row) throw new Error('insert returned nothing');
    await storeHosts(tx, row.id, hosts);
    await tx
      .insert(websiteEnvironments)
      .values(ENVIRONMENTS.map((environment) => ({ websiteId: row.id, environment, rulesEnv: environment })));
    return requireWebsite(tx, actor, row.id);
  });
}
