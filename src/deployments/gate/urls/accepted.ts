import type { Queryable } from '../../../db/connection/client.ts';
import { queryRows } from '../../../db/rows.ts';
import { escapePath } from '../../../resolver/spelling/canonical-path.ts';

/**
 * Returns a predicate: does one of the globs match a canonical URL, as written or in canonical spelling? `*` matches any
 * run of characters, `/` included, and nothing else is special. Takes linear time in the URL for each glob.
 */
export function matchesAny(given: readonly string[]): (url: string) => boolean {
  const globs = [...new Set(given.flatMap((glob) => [glob, canonicalGlob(glob)]))];
  const exact = new Set(globs.filter((glob) => !glob.includes('*')));
  const patterns = globs.filter((glob) => glob.includes('*')).map((glob) => glob.split('*'));
  return (url) => exact.has(url) || patterns.some((parts) => matchesParts(url, parts));
}

/** `/ä b*` is `/%C3%A4%20b*`. */
const canonicalGlob = (glob: string): string => glob.replaceAll(/[^*?]+/g, (text) => escapePath(text, '%25'));

/** `parts` are the texts between the stars. The leftmost place of each is always the best one. */
function matchesParts(url: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  const end = url.length - last.length;
  if (end < first.length || !url.startsWith(first) || !url.endsWith(last)) return false;
  let at = first.length;
  for (let i = 1; i < parts.length - 1; i++) {
    const part = parts[i] ?? '';
    const found = url.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** Returns the predicate of the losses that are accepted at this time. */
export async function readAccepted(db: Queryable, websiteId: number, at: Date): Promise<(url: string) => boolean> {
  const rows = await queryRows<{ glob: string }>(db)`
    select glob from url_accepted_losses
    where website_id = ${websiteId} and (until is null or until > ${at.toISOString()}::timestamptz)`;
  return matchesAny(rows.map(({ glob }) => glob));
}
