/** The redirects that a bulk call means, in the body of either surface. */
import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { isoSeconds } from '../../../platform/clock.ts';
import { checkIds, type Selection } from '../../../redirects/write/selection.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { DomainError, missing } from '../../../vocabulary/error.ts';
import { requireWebsiteRow } from '../../../websites/website.ts';
import type { Dialect, Wire } from '../dialect.ts';
import { filterSchema, readFilter } from './filter.ts';

type FilterBody = z.output<ReturnType<typeof filterSchema>>;

/** The fields of both surfaces. A body has those of its own surface only. */
export interface SelectionBody {
  redirectIds?: Wire['id'][] | undefined;
  redirect_ids?: Wire['id'][] | undefined;
  website_id?: Wire['id'] | undefined;
  filter?: FilterBody | undefined;
}

/** Surface C selects by `redirectIds` or `filter`; surface A by `redirect_ids`, or by `website_id` and `filter`. */
export function selectionFields(dialect: Dialect): z.core.$ZodLooseShape {
  const { ids } = dialect.bulk;
  const filter = filterSchema(dialect);
  const list = z
    .array(dialect.id)
    .optional()
    .describe('The ids of 1 to 10,000 redirects. Use either this or `filter`.');
  if (!dialect.namesWebsite) {
    const text = `Selects redirects by at least one of these fields. Use either this or \`${ids}\`.`;
    return { [ids]: list, filter: filter.optional().describe(text) };
  }
  const text = `Selects the redirects of \`website_id\` that match all of these fields. Use either this or \`${ids}\`.`;
  return {
    [ids]: list,
    website_id: dialect.websiteId.body
      .optional()
      .describe(`The id of the website. Required with \`filter\`; with \`${ids}\`, ids of other websites are ignored.`),
    filter: filter.omit({ website_id: true }).optional().describe(text),
  };
}

/**
 * The redirects that a bulk call means: either ids or a filter. Throws MISSING_PARAMETER without either or for an empty
 * filter, INVALID_PARAMETER with both, and the errors of checkIds.
 */
export async function readSelection(
  { db }: Pick<SurfaceDeps, 'db'>,
  actor: Actor,
  body: SelectionBody,
  dialect: Dialect,
): Promise<Selection> {
  const field = dialect.bulk.ids;
  const { [field]: ids, filter } = body;
  if ((ids === undefined) === (filter === undefined)) {
    const code = ids === undefined ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER';
    throw new DomainError(code, `Send either ${field} or filter`, {
      details: `${field}: send 1 to 10,000 ids, or a filter instead, not both`,
    });
  }
  const websiteId = body.website_id === undefined ? undefined : dialect.websiteId.read(body.website_id);
  if (ids) {
    checkIds(ids, field);
    if (websiteId !== undefined) await requireWebsiteRow(db, actor, websiteId);
    return { ids: readIds(ids, dialect), websiteId };
  }
  if (dialect.namesWebsite && websiteId === undefined) throw missing('website_id', 'is required with filter');
  const whole = wholeFilter(body) ?? {};
  if (Object.values(whole).every((value) => value === undefined)) {
    throw new DomainError('MISSING_PARAMETER', 'The filter is empty', {
      details: 'filter: set at least website_id; an empty filter would match every redirect of the account',
    });
  }
  const read = readFilter(whole, dialect);
  if (read.websiteId !== undefined) await requireWebsiteRow(db, actor, read.websiteId);
  return { filter: { ...read, isEditable: read.websiteId === undefined } };
}

/** Ignores a text that no redirect has as its id, like any unknown id. */
function readIds(ids: Wire['id'][], { redirectId }: Dialect): number[] {
  return ids.flatMap((id) => {
    try {
      return [redirectId.read(id)];
    } catch (error) {
      if (error instanceof DomainError) return [];
      throw error;
    }
  });
}

/** The filter with its website, which surface A names beside it. */
function wholeFilter({ website_id, filter }: SelectionBody): FilterBody | undefined {
  return filter && website_id !== undefined ? { website_id, ...filter } : filter;
}

/** The filter as events report it: ids as strings, times in whole seconds. */
export function eventFilter(body: SelectionBody): object | null {
  const filter = wholeFilter(body);
  if (!filter) return null;
  const entries = Object.entries(filter).map(([name, value]: [string, unknown]) => {
    if (name === 'website_id') return [name, String(value)];
    return [name, value instanceof Date ? isoSeconds(value) : value];
  });
  return Object.fromEntries(entries);
}
