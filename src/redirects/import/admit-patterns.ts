import type { PoolClient } from 'pg';
import { copyRows } from '../../db/copy-rows.ts';
import { isPrefixless, MAX_PATTERNS, MAX_PREFIXLESS } from '../pattern-limit.ts';

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
