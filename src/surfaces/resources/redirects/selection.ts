/** The redirects that a bulk call means, in the body of either surface. */
import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { namesToWire } from '../../../http/wire/wire-names.ts';
import { isoSeconds } from '../../../platform/clock.ts';
import { checkIds, MAX_IDS, type Selection } from '../../../redirects/write/selection.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { DomainError, missing } from '../../../vocabulary/error.ts';
import { requireWebsiteRow } from '../../../websites/website.ts';
import type { Dialect } from '../dialect.ts';
import { type FilterBody, filterSchema, readFilter } from './filter.ts';

type GivenId = number | string;

/** The fields of both surfaces, where `redirect_ids` of surface A is `redirectIds` too. */
export interface SelectionBody {
  redirectIds?: GivenId[] | undefined;
  websiteId?: GivenId | undefined;
  filter?: FilterBody | undefined;
}

/** Some redirects of a website, by ids, for a call that otherwise means all of them. */
export const someRedirects = (dialect: Dialect, ignored: string) =>
  z
    .array(dialect.redirectId.body)
    .min(1)
    .max(MAX_IDS)
    .optional()
    .describe(
      `Only these redirects, 1 to 10,000. Ids of other websites, and of redirects that ${ignored}, are ignored. Default: all.`,
    );

/** Surface C selects by `redirectIds` or `filter`; surface A by `redirect_ids`, or by `website_id` and `filter`. */
export function selectionFields(dialect: Dialect): z.core.$ZodLooseShape {
  const { ids } = dialect.bulk;
  const filter = filterSchema(dialect);
  const list = z
    .array(dialect.givenId)
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
  const { redirectIds: ids, filter } = body;
  if ((ids === undefined) === (filter === undefined)) {
    const code = ids === undefined ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER';
    throw new DomainError(code, `Send either ${field} or filter`, {
      details: `${field}: send 1 to 10,000 ids, or a filter instead, not both`,
    });
  }
  const websiteId = body.websiteId === undefined ? undefined : dialect.websiteId.read(body.websiteId);
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
function readIds(ids: GivenId[], { redirectId }: Dialect): number[] {
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
function wholeFilter({ websiteId, filter }: SelectionBody): FilterBody | undefined {
  return filter && websiteId !== undefined ? { websiteId, ...filter } : filter;
}

/** The filter as events report it: ids as strings, times in whole seconds. */
export function eventFilter(body: SelectionBody, dialect: Dialect): object | null {
  const filter = wholeFilter(body);
  if (!filter) return null;
  const { website_id, ...fields } = namesToWire(filterSchema(dialect))(filter);
  return { ...(website_id !== undefined && { website_id: String(website_id) }), ...withTexts(fields) };
}

/** The fields with times as text. */
export function withTexts(fields: object): object {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Date ? isoSeconds(value) : value,
  ]);
  return Object.fromEntries(entries);
}
