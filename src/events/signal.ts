/** Signals of what notices are about. `notices/` reads each signal once. */
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import type { Environment } from '../vocabulary/environment.ts';
import type { SignalData } from '../vocabulary/notices.ts';

/** The data without the name of the website, which a message has as it is then. */
type StoredData<Kind extends keyof SignalData> = Omit<SignalData[Kind], 'website'>;

export interface Signal<Kind extends keyof SignalData = keyof SignalData> {
  accountId: number;
  kind: Kind;
  websiteId: number | null;
  environment: Environment | null;
  /** null: of no path */
  path: string | null;
  data: StoredData<Kind>;
}

/** Stores a signal in the caller's transaction, if a notice of the account is about its kind. */
export async function storeSignal<Kind extends keyof SignalData>(tx: Queryable, signal: Signal<Kind>): Promise<void> {
  const { accountId, kind, websiteId, environment, path, data } = signal;
  await tx.execute(sql`
    insert into notice_signals (account_id, kind, website_id, environment, path, data)
    select ${accountId}::int, ${kind}, ${websiteId}::int, ${environment}::text, ${path}::text, ${JSON.stringify(data)}::jsonb
    where exists (select from notices where account_id = ${accountId} and kinds @> array[${kind}])`);
}
