import { z } from 'zod';
import {
  EnvironmentName,
  bodyId,
  periodOfDays,
  queryBoolean,
  queryId,
  queryInteger,
  searchText,
} from '../../http/fields.ts';
import type { HitWindow } from '../../redirects/list/activity.ts';
import type { RedirectFilter } from '../../redirects/list/filter.ts';
import { HIT_SORTS, PLAIN_SORTS, type Sort, SORT_FIELDS } from '../../redirects/list/list-cursor.ts';
import { NEWEST_FIRST } from '../../redirects/list/list.ts';
import { STATUS_CODES } from '../../vocabulary/status-code.ts';

const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const);

const DEFAULT_DAYS = 30;

const NO_MOMENT = 'must be a day or a time in UTC, such as 2030-01-31 or 2030-01-31T12:00:00Z';

/** A moment, or a day, which begins at midnight in UTC. ISO 8601 has a year 0, PostgreSQL counts from 1. */
const Moment = z.codec(
  z
    .union([z.iso.datetime(), z.iso.date()], NO_MOMENT)
    .refine((text) => !text.startsWith('0000'), { message: NO_MOMENT }),
  z.date(),
  { decode: (text) => new Date(text), encode: (time) => time.toISOString() },
);

const MAX_IDS = 100;

/** Ids of redirects, separated by commas. Those that there are not are no error: rows go while somebody looks at them. */
const Ids = z
  .codec(
    z
      .string()
      .refine(
        (text) => /^[1-9]\d{0,15}(,[1-9]\d{0,15})*$/.test(text) && idsOf(text).length <= MAX_IDS,
        `must be 1 to ${MAX_IDS} ids, separated by commas`,
      ),
    z.array(z.int()),
    { decode: idsOf, encode: (ids) => ids.join(',') },
  )
  .meta({ pattern: `^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,${MAX_IDS - 1}}$` });

function idsOf(text: string): number[] {
  return text.split(',').map(Number);
}

/** Filters of the redirect list, as query parameters. */
export const filterParameters = {
  website_id: queryId.optional(),
  group: searchText.optional(),
  q: searchText.max(2_048).optional(),
  environment: EnvironmentName.optional(),
  status_code: z.enum(STATUS_CODES.map(String)).optional(),
  is_regex: queryBoolean.optional(),
  last_hit_before: Moment.optional(),
  created_before: Moment.optional(),
};

export const listParameters = {
  ...filterParameters,
  ids: Ids.optional(),
  sort: z.enum(SORTS).optional(),
  hits_since: periodOfDays.optional(),
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
  last_hit_before: Moment.optional(),
  created_before: Moment.optional(),
});

interface FilterWords {
  website_id?: number | undefined;
  group?: string | undefined;
  q?: string | undefined;
  environment?: RedirectFilter['environment'];
  status_code?: string | number | undefined;
  is_regex?: boolean | undefined;
  last_hit_before?: Date | undefined;
  created_before?: Date | undefined;
  ids?: number[] | undefined;
}

export function filterOf(words: FilterWords): RedirectFilter {
  return {
    websiteId: words.website_id,
    group: words.group,
    q: words.q === '' ? undefined : words.q,
    environment: words.environment,
    statusCode: words.status_code === undefined ? undefined : Number(words.status_code),
    isRegex: words.is_regex,
    lastHitBefore: words.last_hit_before,
    createdBefore: words.created_before,
    ids: words.ids,
  };
}

interface HitWords {
  sort?: string | undefined;
  hits_since?: number | undefined;
  environment?: RedirectFilter['environment'];
  last_hit_before?: Date | undefined;
}

/** The hits that a list is to tell of: wherever a parameter is about hits. Of the environment that it is filtered by, or production. */
export function windowOf(words: HitWords, now: Date): HitWindow | undefined {
  const isAsked = words.hits_since !== undefined || words.last_hit_before !== undefined;
  if (!isAsked && !isOf(HIT_SORTS, words.sort)) return undefined;
  return { environment: words.environment ?? 'production', days: words.hits_since ?? DEFAULT_DAYS, now };
}

/** Newest first where nothing else is said. `window` is there for a sort by hits. */
export function sortOf(text: string | undefined, window: HitWindow | undefined): Sort {
  const descending = text?.startsWith('-') ?? false;
  const plain = PLAIN_SORTS.find((field) => isOf([field], text));
  if (plain) return { field: plain, descending };
  const byHits = HIT_SORTS.find((field) => isOf([field], text));
  return byHits && window ? { field: byHits, descending, window } : NEWEST_FIRST;
}

function isOf(fields: readonly string[], text: string | undefined): boolean {
  return fields.some((field) => text === field || text === `-${field}`);
}
