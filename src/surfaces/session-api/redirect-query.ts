import { z } from 'zod';
import { bodyId, queryBoolean, queryId, queryInteger, searchText } from '../../http/fields.ts';
import type { RedirectFilter } from '../../redirects/filter.ts';
import { type Sort, SORT_FIELDS } from '../../redirects/list.ts';
import { STATUS_CODES } from '../../vocabulary/status-code.ts';
import { EnvironmentName } from './website-wire.ts';

const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const);

/** Filters of the redirect list, as query parameters. */
export const filterParameters = {
  website_id: queryId.optional(),
  group: searchText.optional(),
  q: searchText.max(2_048).optional(),
  environment: EnvironmentName.optional(),
  status_code: z.enum(STATUS_CODES.map(String)).optional(),
  is_regex: queryBoolean.optional(),
};

export const listParameters = {
  ...filterParameters,
  sort: z.enum(SORTS).optional(),
  limit: queryInteger(1, 1_000).optional(),
  cursor: z.string().optional(),
};

/** The same filters in a body (bulk calls), where numbers and booleans are such. */
export const FilterBody = z.strictObject({
  website_id: bodyId.optional(),
  group: searchText.optional(),
  q: searchText.max(2_048).optional(),
  environment: EnvironmentName.optional(),
  status_code: z.union(STATUS_CODES.map((status) => z.literal(status))).optional(),
  is_regex: z.boolean().optional(),
});

interface FilterWords {
  website_id?: number | undefined;
  group?: string | undefined;
  q?: string | undefined;
  environment?: RedirectFilter['environment'];
  status_code?: string | number | undefined;
  is_regex?: boolean | undefined;
}

export function filterOf(words: FilterWords): RedirectFilter {
  return {
    websiteId: words.website_id,
    group: words.group,
    q: words.q === '' ? undefined : words.q,
    environment: words.environment,
    statusCode: words.status_code === undefined ? undefined : Number(words.status_code),
    isRegex: words.is_regex,
  };
}

export function sortOf(text: string | undefined): Sort | undefined {
  const field = SORT_FIELDS.find((each) => each === text || `-${each}` === text);
  return field && { field, descending: text?.startsWith('-') ?? false };
}
