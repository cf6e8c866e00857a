/**
 * Lists for Vercel and Cloudflare name a path with and without its final slash, because these compare it. On a website
 * that ignores the final slash, both are one redirect.
 */
import { slashTwin } from '../../../resolver/precedence.ts';
import type { Website } from '../../../websites/website.ts';
import type { FileRow } from '../../../formats/rows/row.ts';

const LISTS = ['vercel', 'cloudflare'];

/**
 * Returns a function for the rows of a file, in their order. A row that differs from the previous one only by the final
 * slash gets its path, so that it repeats it.
 */
export function createTwinReader(format: string, { trailingSlash }: Website): (row: FileRow) => FileRow {
  if (trailingSlash !== 'ignore' || !LISTS.includes(format)) return (row) => row;
  let previous: FileRow | undefined;
  return (row) => {
    const { oldPath = '' } = previous ?? {};
    if (previous && slashTwin(oldPath) === row.oldPath && isSameRule(previous, row)) return { ...row, oldPath };
    previous = row;
    return row;
  };
}

function isSameRule(one: FileRow, other: FileRow): boolean {
  const names = Object.keys(one) as (keyof FileRow)[];
  return (
    one.isRegex !== true && names.every((name) => name === 'line' || name === 'oldPath' || one[name] === other[name])
  );
}
