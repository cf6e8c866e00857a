import type { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { isoSeconds } from '../../../platform/clock.ts';
import { checkIds, type Selection } from '../../../redirects/write/selection.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { DomainError } from '../../../vocabulary/error.ts';
import { requireWebsite } from '../../../websites/website.ts';
import type { Dialect } from '../dialect.ts';
import { type filterSchema, readFilter } from './filter.ts';

type FilterBody = z.output<ReturnType<typeof filterSchema>>;

/**
 * The redirects that a bulk call means: either ids or a filter. `idsField` is the name of the ids on the surface.
 * Throws MISSING_PARAMETER without either or for an empty filter, INVALID_PARAMETER with both, and the errors of
 * checkIds.
 */
export async function readSelection(
  { db }: Pick<SurfaceDeps, 'db'>,
  actor: Actor,
  { ids, filter }: { ids: number[] | undefined; filter: FilterBody | undefined },
  { idsField, dialect }: { idsField: string; dialect: Dialect },
): Promise<Selection> {
  if ((ids === undefined) === (filter === undefined)) {
    const code = ids === undefined ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER';
    throw new DomainError(code, `Send either ${idsField} or filter`, {
      details: `${idsField}: send 1 to 10,000 ids, or a filter instead, not both`,
    });
  }
  if (ids) {
    checkIds(ids);
    return { ids };
  }
  const read = readFilter(filter ?? {}, dialect);
  if (Object.values(filter ?? {}).every((value) => value === undefined)) {
    throw new DomainError('MISSING_PARAMETER', 'The filter is empty', {
      details: 'filter: set at least website_id; an empty filter would match every redirect of the account',
    });
  }
  if (read.websiteId !== undefined) await requireWebsite(db, actor, read.websiteId);
  return { filter: read };
}

/** The filter as events report it: ids as strings, times in whole seconds. */
export function eventFilter(filter: FilterBody | undefined): object | null {
  if (!filter) return null;
  const entries = Object.entries(filter).map(([name, value]: [string, unknown]) => {
    if (name === 'website_id') return [name, String(value)];
    return [name, value instanceof Date ? isoSeconds(value) : value];
  });
  return Object.fromEntries(entries);
}
