/** Groups unmatched paths by folder and form: one pattern may answer all of a group. */
import type { Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';
import { escapeRegex } from '../resolver/patterns/pattern-syntax.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { requireWebsiteRow } from '../websites/website.ts';

export interface Cluster {
  /** with a slash at its end */
  folder: string;
  shape: Shape;
  paths: number;
  /** of humans */
  hits: number;
  /** the three with the most hits */
  examples: string[];
  /** matches the paths of this form below the folder */
  pattern: string;
}

/** `number`: /news/4012; `page`: a name with an extension; `name`: any other last segment. */
export type Shape = 'number' | 'page' | 'name';

const MIN_PATHS = 5;
const MAX_CLUSTERS = 50;
const MAX_EXAMPLES = 3;

const EXTENSION = /\.[A-Za-z0-9]{1,5}$/;
const SEGMENTS: Record<Shape, string> = { number: '([0-9]+)', page: '([^/]+)', name: '([^/]+)' };

interface Path {
  path: string;
  hits: number;
}

/** Throws WEBSITE_NOT_FOUND. `isServed`: paths that a live rule answers by now, which are in no cluster. */
export async function listClusters(
  db: Queryable,
  actor: Actor,
  { websiteId, environment }: { websiteId: number; environment: Environment },
  isServed: (path: string) => boolean,
): Promise<Cluster[]> {
  await requireWebsiteRow(db, actor, websiteId);
  // The list has a limited number of paths (hits/record).
  const paths = await queryRows<Path>(db)`
    select path, hits::float8 as hits from not_found
    where website_id = ${websiteId} and environment = ${environment} and not noise and ignored_at is null`;
  const slice = createTimeSlice();
  const open: Path[] = [];
  for (const each of paths) {
    if (slice.isOver()) await slice.yield();
    if (!each.path.endsWith('…') && !isServed(each.path)) open.push(each);
  }
  return clustersOf(open);
}

/** The clusters of at least five paths with the most hits, at most 50. */
function clustersOf(paths: readonly Path[]): Cluster[] {
  const groups = Map.groupBy(paths, ({ path }) => formOf(path).pattern);
  return [...groups]
    .filter(([, members]) => members.length >= MIN_PATHS)
    .map(([pattern, members]): Cluster => {
      const byHits = members.toSorted((one, other) => other.hits - one.hits || (one.path < other.path ? -1 : 1));
      const { folder, shape } = formOf(byHits[0]?.path ?? '');
      return {
        folder,
        shape,
        paths: members.length,
        hits: members.reduce((sum, { hits }) => sum + hits, 0),
        examples: byHits.slice(0, MAX_EXAMPLES).map(({ path }) => path),
        pattern,
      };
    })
    .sort((one, other) => other.hits - one.hits || other.paths - one.paths || (one.folder < other.folder ? -1 : 1))
    .slice(0, MAX_CLUSTERS);
}

function formOf(path: string): { folder: string; shape: Shape; pattern: string } {
  const end = path.endsWith('/') ? '/' : '';
  const bare = path.slice(0, path.length - end.length);
  const at = bare.lastIndexOf('/') + 1;
  const [folder, name] = [bare.slice(0, at) || '/', bare.slice(at)];
  const extension = end === '' ? (EXTENSION.exec(name)?.[0] ?? '') : '';
  const shape = /^[0-9]+$/.test(name) ? 'number' : extension === '' ? 'name' : 'page';
  return { folder, shape, pattern: `${escapeRegex(folder)}${SEGMENTS[shape]}${escapeRegex(extension + end)}` };
}
