/**
 * Which websites an actor reaches. Every query that an actor's account scopes uses one of these conditions, so that a key
 * limited to websites sees no other one. test/house/scope.test.ts holds the code to it.
 */
import { sql, type SQL } from '../db/drizzle.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';

/** SQL condition: the website `alias` is the account's, is not deleted, and the actor's key is not limited to others. */
export function isOwnWebsite({ accountId, websiteIds }: Actor, alias = 'websites'): SQL {
  const website = sql.identifier(alias);
  // An empty list matches nothing.
  const isAmong = websiteIds && sql` and ${website}.id = any(${sql.param([...websiteIds])}::int[])`;
  return sql`(${website}.account_id = ${accountId} and ${website}.deleting_since is null${isAmong ?? sql``})`;
}

/**
 * SQL condition: the row `alias` is the account's and, if the actor's key is limited, of a website that it reaches. A row
 * without a website is not.
 */
export function isOwnRow(actor: Actor, alias: string): SQL {
  const row = sql.identifier(alias);
  const isAmong = sql` and ${row}.website_id = any(array(select id from websites where ${isOwnWebsite(actor)}))`;
  return sql`(${row}.account_id = ${actor.accountId}${actor.websiteIds ? isAmong : sql``})`;
}

/** Throws INSUFFICIENT_SCOPE if the actor is a key that is limited to websites: `what` concerns the whole account. */
export function requireAllWebsites({ websiteIds }: Actor, what: string): void {
  if (websiteIds === undefined) return;
  throw new DomainError('INSUFFICIENT_SCOPE', 'This API key is limited to websites', {
    details: `Authorization: ${what}; use a key without website_ids`,
  });
}
