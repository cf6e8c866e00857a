import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { type Pattern, storedPatternForm } from '../../resolver/pattern.ts';
import { invalid } from '../../vocabulary/error.ts';

/** Maximum patterns of a website, and how many of them may lack a literal prefix (those are tried on every path). */
export const MAX_PATTERNS = 10_000;
export const MAX_PREFIXLESS = 50;

/** Counts the patterns of a website. */
export async function countPatterns(
  tx: Queryable,
  websiteId: number,
): Promise<{ patterns: number; prefixless: number }> {
  const { rows } = await tx.execute<{ key: string }>(
    sql`select key from redirects where website_id = ${websiteId} and is_regex`,
  );
  return { patterns: rows.length, prefixless: rows.filter((row) => isPrefixless(row.key)).length };
}

/** True for a stored pattern without a literal prefix beyond "/", which has to be tried on every path. */
export function isPrefixless(text: string): boolean {
  return (storedPatternForm(text)?.prefix.length ?? 0) <= 1;
}

/** Throws TOO_MANY_PATTERNS if the website would exceed a limit with the added patterns. */
export async function assertPatternLimit(tx: Queryable, websiteId: number, added: Pattern[]): Promise<void> {
  const { rows } = await tx.execute<{ count: number }>(
    sql`select count(*)::int as count from redirects where website_id = ${websiteId} and is_regex`,
  );
  const patterns = rows[0]?.count ?? 0;
  if (patterns + added.length > MAX_PATTERNS) {
    const limit = MAX_PATTERNS.toLocaleString('en');
    throw invalid('old_path', `a website may have ${limit} patterns and has ${patterns}`, 'TOO_MANY_PATTERNS');
  }
  const adding = added.filter((pattern) => !pattern.hasLiteralPrefix).length;
  // Without that many patterns in total, the second limit cannot be exceeded; skip reading them.
  if (adding === 0 || patterns + adding <= MAX_PREFIXLESS) return;
  const { prefixless } = await countPatterns(tx, websiteId);
  if (prefixless + adding <= MAX_PREFIXLESS) return;
  throw invalid(
    'old_path',
    `a website may have ${MAX_PREFIXLESS} patterns without a literal prefix and has ${prefixless}; begin the pattern with a literal path such as /blog/`,
    'TOO_MANY_PATTERNS',
  );
}
