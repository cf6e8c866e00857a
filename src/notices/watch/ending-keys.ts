import { endingKeys } from '../../accounts/api-key.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { Raised } from '../raise.ts';

const DAYS = 14;

/** Returns the API keys of accounts with such a notice that expire within 14 days. Each is held until then. */
export async function endingApiKeys(db: Queryable, now: Date): Promise<Raised[]> {
  const accounts = await queryRows<{ accountId: number }>(db)`
    select distinct account_id from notices where kinds @> array['key.ends_soon'] order by account_id`;
  const found: Raised[] = [];
  for (const { accountId } of accounts) {
    for (const { id, name, expiresAt } of await endingKeys(db, { accountId }, DAYS, now)) {
      if (!expiresAt) continue;
      found.push({
        ...{ accountId, kind: 'key.ends_soon', websiteId: null, environment: null, path: null },
        data: { keyName: name, keyId: id, at: isoSeconds(expiresAt) },
        heldUntil: expiresAt,
      });
    }
  }
  return found;
}
