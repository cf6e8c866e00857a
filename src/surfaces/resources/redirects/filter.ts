/** Filters of redirects: as query parameters of lists, and as objects in the bodies of bulk calls. */
import { z } from 'zod';
import { EnvironmentName, pageParameters, periodOfDays, queryBoolean, searchText } from '../../../http/wire/fields.ts';
import type { Camel } from '../../../http/wire/wire-names.ts';
import { wholeSecond } from '../../../platform/clock.ts';
import type { HitWindow } from '../../../redirects/list/activity.ts';
import { type RedirectFilter, SCHEDULE_STATES } from '../../../redirects/list/filter.ts';
import { HIT_SORTS, NEWEST_FIRST, PLAIN_SORTS, type Sort, SORT_FIELDS } from '../../../redirects/list/page.ts';
import { TARGET_STATE_FILTERS } from '../../../vocabulary/checks.ts';
import { STATUS_CODES } from '../../../vocabulary/status-code.ts';
import type { Dialect } from '../dialect.ts';

const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const);

const DEFAULT_DAYS = 30;

const NOT_A_MOMENT = 'must be a day or a time in UTC, such as 2030-01-31 or 2030-01-31T12:00:00Z';

/** A time, or a day, which begins at midnight UTC. PostgreSQL has no year 0. */
const Moment = z.codec(
  z
    .union([z.iso.datetime(), z.iso.date()], NOT_A_MOMENT)
    .refine((text) => !text.startsWith('0000'), { message: NOT_A_MOMENT }),
  z.date(),
  { decode: (text) => wholeSecond(new Date(text)), encode: (time) => time.toISOString() },
);

const MAX_IDS = 100;

/**
 * Ids of redirects, separated by commas. Unknown ids are ignored, because a redirect may be deleted while its list is
 * open.
 */
const Ids = z
  .codec(
    z
      .string()
      .refine(
        (text) => /^[1-9]\d{0,15}(,[1-9]\d{0,15})*$/.test(text) && parseIds(text).length <= MAX_IDS,
        `must be 1 to ${MAX_IDS} ids, separated by commas`,
      ),
    z.array(z.int()),
    { decode: parseIds, encode: (ids) => ids.join(',') },
  )
  .meta({ pattern: `^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,${MAX_IDS - 1}}$` });

function parseIds(text: string): number[] {
  return text.split(',').map(Number);
}

const MAX_VALUES = 50;

/** One value, or a list; in a query string the parameter is repeated. */
function oneOrMore<Value extends z.ZodType>(value: Value) {
  return z.union([value, z.array(value).min(1).max(MAX_VALUES)]);
}

const containedText = searchText.min(1).max(2_048);
const containedTexts = oneOrMore(containedText).optional();

const WEBSITE = 'Only redirects of this website.';
const IS_REGEX = 'true: only patterns; false: only literal paths.';

const texts = {
  group: oneOrMore(searchText)
    .optional()
    .describe('Only redirects of this group, or of one of these; empty for redirects without a group.'),
  not_group: oneOrMore(searchText).optional().describe('No redirects of this group, or of any of these.'),
  q: searchText
    .max(2_048)
    .optional()
    .describe(
      'Only redirects with this text, or with all of its words, in either path; at most 2,048 characters. Ignores case and finds other spellings: `ü` finds `%C3%BC`. A URL also finds its path in the website of its host.',
    ),
  notes: searchText
    .max(2_048)
    .optional()
    .describe('Only redirects with this text in their notes, ignoring case; at most 2,048 characters.'),
  new_path: containedText
    .optional()
    .describe('Only redirects with exactly this stored target; at most 2,048 characters.'),
  new_path_contains: containedText
    .optional()
    .describe(
      'Only redirects with this text in their stored target, such as a host, ignoring case; at most 2,048 characters.',
    ),
  not_new_path_contains: containedTexts.describe(
    'No redirects with this text, or with any of these, in their stored target.',
  ),
  old_path_contains: containedText
    .optional()
    .describe('Only redirects with this text in their stored source, ignoring case; at most 2,048 characters.'),
  not_old_path_contains: containedTexts.describe(
    'No redirects with this text, or with any of these, in their stored source.',
  ),
  environment: EnvironmentName.optional().describe(
    'Only redirects targeted at this environment. Hits are counted in it too; without it, in production.',
  ),
  not_environment: oneOrMore(EnvironmentName)
    .optional()
    .describe('No redirects targeted at this environment, or at any of these.'),
};

const times = {
  last_hit_before: Moment.optional().describe(
    'Only redirects without a hit by a human since this day or time, including those never hit. Requires a plan with analytics.',
  ),
  last_hit_since: Moment.optional().describe(
    'Only redirects with a hit by a human since this day or time. Requires a plan with analytics.',
  ),
  created_before: Moment.optional().describe('Only redirects created before this day or time.'),
  created_since: Moment.optional().describe('Only redirects created since this day or time.'),
  updated_since: Moment.optional().describe('Only redirects changed since this day or time.'),
  schedule: z
    .enum(SCHEDULE_STATES)
    .optional()
    .describe(
      'Only redirects with a window that is `upcoming`, `active` or `expired` now, with `any` window, or with `none`.',
    ),
  schedule_before: Moment.optional().describe(
    'Only redirects whose window starts or ends from now on, and before this day or time.',
  ),
  target_state: z
    .enum(TARGET_STATE_FILTERS)
    .optional()
    .describe(
      'Only redirects whose target a live check last found in this state; `broken`: `dead`, `soft_404`, `loop` or `error`; `unchecked`: not checked since the target was set.',
    ),
  not_target_state: oneOrMore(z.enum(TARGET_STATE_FILTERS))
    .optional()
    .describe('No redirects whose target was last found in this state, or in any of these.'),
};

const STATUS_TEXT = z.enum(STATUS_CODES.map(String)).meta({ type: 'integer', enum: [...STATUS_CODES] });
const STATUS = z.literal([...STATUS_CODES]);
const WITH_STATUS = 'Only redirects with this status, or with one of these.';
const WITHOUT_STATUS = 'No redirects with this status, or with any of these.';

export function filterParameters({ websiteId, namesWebsite }: Dialect) {
  const website_id = namesWebsite ? websiteId.query : websiteId.query.optional();
  return {
    website_id: website_id.describe(WEBSITE),
    ...texts,
    status_code: oneOrMore(STATUS_TEXT).optional().describe(WITH_STATUS),
    not_status_code: oneOrMore(STATUS_TEXT).optional().describe(WITHOUT_STATUS),
    is_regex: queryBoolean.optional().describe(IS_REGEX),
    ...times,
  };
}

export function listParameters(dialect: Dialect) {
  return {
    ...filterParameters(dialect),
    ids: Ids.optional().describe('Only these redirects: 1 to 100 ids, separated by commas.'),
    sort: z.enum(SORTS).optional().describe('The sort field; prefix `-` for descending order. Default: newest first.'),
    hits_since: periodOfDays
      .optional()
      .describe('The period of `hits`, from `1d` to `365d`; default `30d`. Requires a plan with analytics.'),
    daily_hits: queryBoolean
      .optional()
      .describe('Whether to add `daily_hits`, the hits of each day of that period. Requires a plan with analytics.'),
    include,
    ...pageParameters(1_000),
    limit: pageParameters(1_000).limit.describe(
      dialect.namesWebsite
        ? 'The maximum number of entries on a page, 1 to 1,000. Default 100.'
        : 'The maximum number of entries on a page. Default 100 with `cursor`; without both, all redirects.',
    ),
  };
}

/** `include` of the list and of a single redirect. */
export const include = z
  .enum(['live'])
  .optional()
  .describe(
    '`live`: each redirect also has `live`, the rules that visitors get if they differ from its current state.',
  );

/** The same filters as JSON values. */
export function filterSchema({ websiteId }: Dialect) {
  return z.strictObject({
    website_id: websiteId.body.optional().describe(WEBSITE),
    ...texts,
    status_code: oneOrMore(STATUS).optional().describe(WITH_STATUS),
    not_status_code: oneOrMore(STATUS).optional().describe(WITHOUT_STATUS),
    is_regex: z.boolean().optional().describe(IS_REGEX),
    ...times,
  });
}

export type FilterBody = Camel<z.output<ReturnType<typeof filterSchema>>>;
type FilterQuery = Camel<z.output<z.ZodObject<ReturnType<typeof filterParameters>>>>;

export function readFilter(
  {
    websiteId: id,
    q,
    notes,
    group,
    statusCode,
    ...filter
  }: (FilterBody | FilterQuery) & { ids?: number[] | undefined },
  { websiteId }: Dialect,
): RedirectFilter {
  const { notGroup, notStatusCode, notOldPathContains, notNewPathContains, notEnvironment, notTargetState, ...only } =
    filter;
  const not: RedirectFilter[] = [
    ...(notGroup === undefined ? [] : [{ group: [notGroup].flat() }]),
    ...(notStatusCode === undefined ? [] : [{ statusCode: [notStatusCode].flat().map(Number) }]),
    ...[notOldPathContains ?? []].flat().map((oldPathContains) => ({ oldPathContains })),
    ...[notNewPathContains ?? []].flat().map((newPathContains) => ({ newPathContains })),
    ...[notEnvironment ?? []].flat().map((environment) => ({ environment })),
    ...[notTargetState ?? []].flat().map((targetState) => ({ targetState })),
  ];
  return {
    ...only,
    websiteId: id === undefined ? undefined : websiteId.read(id),
    q: q === '' ? undefined : q,
    notes: notes === '' ? undefined : notes,
    group: group === undefined ? undefined : [group].flat(),
    statusCode: statusCode === undefined ? undefined : [statusCode].flat().map(Number),
    not: not.length === 0 ? undefined : not,
  };
}

interface HitParameters {
  sort?: string | undefined;
  hitsSince?: number | undefined;
  dailyHits?: boolean | undefined;
  environment?: RedirectFilter['environment'];
  lastHitBefore?: Date | undefined;
  lastHitSince?: Date | undefined;
}

/** The hits to read with a list, if a parameter concerns hits: those of the filtered environment, or of production. */
export function readHitWindow(query: HitParameters, now: Date): HitWindow | undefined {
  const { hitsSince, dailyHits: byDay, lastHitBefore, lastHitSince } = query;
  const filtersByHits = (hitsSince ?? lastHitBefore ?? lastHitSince) !== undefined;
  if (!filtersByHits && !byDay && !isSortBy(HIT_SORTS, query.sort)) return undefined;
  return { environment: query.environment ?? 'production', days: hitsSince ?? DEFAULT_DAYS, now, byDay };
}

/** Newest first by default. A sort by hits needs `window`. */
export function readSort(text: string | undefined, window: HitWindow | undefined): Sort {
  const descending = text?.startsWith('-') ?? false;
  const plain = PLAIN_SORTS.find((field) => isSortBy([field], text));
  if (plain) return { field: plain, descending };
  const byHits = HIT_SORTS.find((field) => isSortBy([field], text));
  return byHits && window ? { field: byHits, descending, window } : NEWEST_FIRST;
}

function isSortBy(fields: readonly string[], text: string | undefined): boolean {
  return fields.some((field) => text === field || text === `-${field}`);
}
