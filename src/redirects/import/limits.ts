import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { BULK_IMPORT_MAX, PLAN_NAMES, PLANS } from '../../vocabulary/plan.ts';
import type { PoolClient } from 'pg';
import { copyRows } from '../../db/copy-rows.ts';
import { isPrefixless, MAX_PATTERNS, MAX_PREFIXLESS } from '../rule/pattern-limit.ts';

/** Nothing of a call beyond the plan's count is applied, rather than a part of it. */
export function assertRowLimit(actor: Actor, total: number): void {
  const max = PLANS[actor.plan].bulkImportMax;
  if (total <= max) return;
  if (max >= BULK_IMPORT_MAX) {
    throw new DomainError('TOO_MANY_REDIRECTS', 'Too many redirects', {
      details: 'One call takes at most 1,000,000 redirects; nothing was applied, split it',
    });
  }
  const next = PLAN_NAMES.find((plan) => PLANS[plan].bulkImportMax > max) ?? 'enterprise';
  throw new DomainError('PLAN_LIMIT_EXCEEDED', "The call is over the plan's count", {
    details: `The ${actor.plan} plan takes ${max.toLocaleString('en')} redirects in one call; nothing was applied, split it or change to ${next}`,
  });
}

/**
 * Which of the patterns that an import would add the website has room for: the first in the order of the import. Memory is bounded by
 * the limit itself.
 */
export async function admittedPatterns(
  reader: PoolClient,
  websiteId: number,
  table: string,
): Promise<Set<string>> {
  const admitted = new Set<string>();
  const { rows: existing } = await reader.query<{ key: string }>(
    'select key from redirects where website_id = $1 and is_regex',
    [websiteId],
  );
  let patterns = existing.length;
  let prefixless = existing.filter((row) => isPrefixless(row.key)).length;
  const added = `select s.key from ${table} s where s.is_regex
      and not exists (select 1 from redirects r where r.website_id = ${websiteId} and r.key = s.key and r.is_regex)
    group by s.key order by min(s.seq)`;
  for await (const rows of copyRows(reader, added)) {
    for (const [key] of rows) {
      if (key == null) continue;
      const adds = isPrefixless(key) ? 1 : 0;
      if (patterns + 1 > MAX_PATTERNS || prefixless + adds > MAX_PREFIXLESS) continue;
      admitted.add(key);
      patterns++;
      prefixless += adds;
    }
  }
  return admitted;
}
