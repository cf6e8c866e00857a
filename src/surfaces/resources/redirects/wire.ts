import { z } from 'zod';
import { EnvironmentName, Timestamp, component } from '../../../http/wire/fields.ts';
import { type Camel, wireWriter } from '../../../http/wire/wire-names.ts';
import type { Seen } from '../../../platform/changed-since.ts';
import { isoSeconds } from '../../../platform/clock.ts';
import { NEVER_DEPLOYED } from '../../../deployments/live/database/deployed-at.ts';
import type { ListedRedirect } from '../../../redirects/list/find.ts';
import { UNCHECKED } from '../../../redirects/list/target-state.ts';
import type { RedirectChange } from '../../../redirects/rule/change.ts';
import { DEFAULTS } from '../../../redirects/rule/fields.ts';
import type { Redirect, RedirectFields } from '../../../redirects/rule/redirect.ts';
import { trimmedOrNull } from '../../../rules/check-fields.ts';
import { NOT_A_MOMENT, parseMoment } from '../../../rules/schedule.ts';
import { TARGET_STATES } from '../../../vocabulary/checks.ts';
import type { ErrorCode } from '../../../vocabulary/error.ts';
import { omitUndefined } from '../../../vocabulary/omit-undefined.ts';
import type { Dialect, Wire } from '../dialect.ts';

const STATUS_CODE = '301 (default), 302, 303, 307 or 308; 410 or 451 without a target.';

/** The fields of a rule as every surface writes them. */
export const ruleFields = {
  old_path: z
    .string()
    .describe(
      'The path to match. Starts with one `/`, has no `#`, at most 2,048 bytes. With `?k=v`, it matches only requests with that query parameter. Unique within the website.',
    ),
  new_path: z
    .string()
    .nullable()
    .describe(
      'The target: a path that starts with one `/`, at most 2,048 bytes, or `https://host/...` if the website allows the host. null for 410 and 451.',
    ),
  status_code: z.int().describe(STATUS_CODE),
  is_regex: z
    .boolean()
    .describe(
      'Whether `old_path` is a pattern (RE2, at most 1,000 characters). `new_path` may use its groups as `$1` or `${name}`. Default false.',
    ),
};

export const labelFields = {
  group_id: z.string().nullable().describe('A label for grouping redirects, at most 200 characters, or null.'),
  notes: z.string().nullable().describe('At most 2,000 characters, or null.'),
};

const FROM =
  'The redirect exists from this time on, inclusive; null: no start. A time with a zone, such as `2030-01-31T12:00:00Z`, to the second: a fraction is cut.';
const UNTIL = 'The redirect exists until this time, exclusive; null: no end. Must be after `active_from`.';

/** The window in responses: in UTC. */
export const windowFields = {
  active_from: Timestamp.nullable().describe(FROM),
  active_until: Timestamp.nullable().describe(UNTIL),
};

/** A time in a body, with any zone. */
export const Moment = z.codec(
  z
    .string()
    .refine((text) => parseMoment(text) !== undefined, {
      params: { code: 'INVALID_SCHEDULE' satisfies ErrorCode },
      message: NOT_A_MOMENT,
    })
    .meta({ format: 'date-time' }),
  z.date(),
  { decode: (text) => parseMoment(text) ?? new Date(0), encode: isoSeconds },
);

/**
 * The fields of a redirect that a body may set, of the right type. The rules for their values:
 * rules/check-redirect.ts.
 */
export function redirectFields({ environments }: Dialect) {
  return {
    ...ruleFields,
    status_code: z.number().describe(STATUS_CODE),
    ...labelFields,
    target_environments: environments.input,
    active_from: Moment.nullable().describe(FROM),
    active_until: Moment.nullable().describe(UNTIL),
  };
}

/** A body may repeat these fields of the resource; they are ignored. */
export const READ_ONLY = [
  'id',
  'created_at',
  'updated_at',
  'deployed_to_prod',
  'deployed_to_staging',
  'deployed_to_dev',
  'target_state',
  'target_checked_at',
  'last_hit_at',
  'hits',
  'daily_hits',
  'live',
] as const;

type Shape = ReturnType<typeof redirectFields>;
type Fields = Camel<{ [K in keyof Shape]?: z.output<Shape[K]> | undefined }>;

/** The change that a body requests. Labels lose surrounding white space. */
export function redirectChange({ targetEnvironments, groupId, notes, ...fields }: Fields): RedirectChange {
  return {
    ...fields,
    groupId: groupId === undefined ? undefined : trimmedOrNull(groupId),
    notes: notes === undefined ? undefined : trimmedOrNull(notes),
    environments: targetEnvironments,
  };
}

/** The new redirect that a body describes: omitted fields get their defaults. */
export function newRedirect(body: Fields & { oldPath: string }): RedirectFields {
  return { newPath: null, ...DEFAULTS, ...omitUndefined(redirectChange(body)), oldPath: body.oldPath };
}

const NullableTime = Timestamp.nullable();

export function redirectSchema<W extends Wire>({ id, environments, named }: Dialect<W>) {
  return component(named('Redirect'), {
    id: id.describe('The id of the redirect.'),
    website_id: id.describe('The id of the website.'),
    ...ruleFields,
    ...labelFields,
    target_environments: environments.output,
    ...windowFields,
    created_at: Timestamp.describe('When it was created.'),
    updated_at: Timestamp.describe('When it was last changed. Each change within one second gets a second of its own.'),
    deployed_to_prod: NullableTime.describe(
      'Since when its current state is live in production; null if it is not live.',
    ),
    deployed_to_staging: NullableTime.describe(
      'Since when its current state is live in staging; null if it is not live.',
    ),
    deployed_to_dev: NullableTime.describe(
      'Since when its current state is live in development; null if it is not live.',
    ),
    target_state: z
      .enum(TARGET_STATES)
      .nullable()
      .describe('What a live check last found at the target; null if it was not checked since `new_path` was set.'),
    target_checked_at: NullableTime.describe('When a live check last asked the target; null if it was not checked.'),
    last_hit_at: NullableTime.optional().describe(
      'The time of its last hit by a human; null for never. Present only if a parameter of the list concerns hits.',
    ),
    hits: z
      .int()
      .optional()
      .describe('Hits by humans in the period. Present only if a parameter of the list concerns hits.'),
    daily_hits: z
      .array(z.int())
      .optional()
      .describe('Hits by humans on each day of the period (UTC), today last. Present only with `daily_hits=true`.'),
    live: z
      .partialRecord(EnvironmentName, z.object({ ...ruleFields, ...windowFields }).nullable())
      .optional()
      .describe(
        'By environment, the rule that visitors get if it differs: before a change is deployed, or in an environment that the redirect does not have. null if its environment does not serve it yet. Only with `include=live`.',
      ),
  });
}

/** The condition `if_updated_at` of a body or query. Its error has the redirect as it is now. */
export function seenRedirect(updatedAt: Date | undefined, dialect: Dialect): Seen<ListedRedirect> | undefined {
  return (
    updatedAt && {
      updatedAt,
      toBody: (redirect) => ({ redirect: wireWriter(redirectSchema(dialect))(redirectBody(redirect)) }),
    }
  );
}

/** Has `last_hit_at` and `hits` only if the redirect was read with its activity, and `live` only if it was read. */
export function redirectBody(redirect: Redirect & Partial<ListedRedirect>) {
  const { deployed = NEVER_DEPLOYED, activity, environments, ...fields } = redirect;
  return {
    ...UNCHECKED,
    ...fields,
    targetEnvironments: environments,
    deployedToProd: deployed.production,
    deployedToStaging: deployed.staging,
    deployedToDev: deployed.development,
    ...activity,
  };
}
