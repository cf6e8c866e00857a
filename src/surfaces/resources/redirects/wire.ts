import { z } from 'zod';
import { EnvironmentName, WrittenTime } from '../../../http/fields.ts';
import type { Seen } from '../../../platform/changed-since.ts';
import { isoSeconds } from '../../../platform/clock.ts';
import { NEVER_DEPLOYED } from '../../../deployments/live/deployed-at.ts';
import type { LiveDifferences, LiveRule } from '../../../deployments/live/live-differences.ts';
import type { ListedRedirect } from '../../../redirects/list/find.ts';
import type { RedirectChange } from '../../../redirects/rule/change.ts';
import type { Redirect, RedirectFields } from '../../../redirects/rule/redirect.ts';
import { trimmedOrNull } from '../../../redirects/rule/check-fields.ts';
import { NOT_A_MOMENT, parseMoment } from '../../../redirects/rule/schedule.ts';
import type { ErrorCode } from '../../../vocabulary/error.ts';
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
  active_from: z.iso.datetime().nullable().describe(FROM),
  active_until: z.iso.datetime().nullable().describe(UNTIL),
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
 * redirects/rule/check-redirect.ts.
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
  'last_hit_at',
  'hits',
  'live',
] as const;

type Shape = ReturnType<typeof redirectFields>;
type Fields = { [K in keyof Shape]?: z.output<Shape[K]> | undefined };

/** The change that a body requests. Labels lose surrounding white space. */
export function redirectChange(body: Fields): RedirectChange {
  return {
    oldPath: body.old_path,
    newPath: body.new_path,
    statusCode: body.status_code,
    isRegex: body.is_regex,
    groupId: body.group_id === undefined ? undefined : trimmedOrNull(body.group_id),
    notes: body.notes === undefined ? undefined : trimmedOrNull(body.notes),
    environments: body.target_environments,
    activeFrom: body.active_from,
    activeUntil: body.active_until,
  };
}

/** The new redirect that a body describes: omitted fields get their defaults. */
export function newRedirect(body: Fields & { old_path: string }): RedirectFields {
  const change = redirectChange(body);
  return {
    oldPath: body.old_path,
    newPath: change.newPath ?? null,
    statusCode: change.statusCode ?? 301,
    isRegex: change.isRegex ?? false,
    groupId: change.groupId ?? null,
    notes: change.notes ?? null,
    environments: change.environments ?? ['production'],
    activeFrom: change.activeFrom ?? null,
    activeUntil: change.activeUntil ?? null,
  };
}

const NullableTime = WrittenTime.nullable();

/** Its times are text, not dates: lists are streamed as JSON text, without encoding each redirect by this schema. */
export function redirectSchema<W extends Wire>({ id, environments, suffix }: Dialect<W>) {
  return z
    .object({
      id: id.describe('The id of the redirect.'),
      website_id: id.describe('The id of the website.'),
      ...ruleFields,
      ...labelFields,
      target_environments: environments.output,
      ...windowFields,
      created_at: WrittenTime.describe('When it was created.'),
      updated_at: WrittenTime.describe(
        'When it was last changed. Each change within one second gets a second of its own.',
      ),
      deployed_to_prod: NullableTime.describe(
        'Since when its current state is live in production; null if it is not live.',
      ),
      deployed_to_staging: NullableTime.describe(
        'Since when its current state is live in staging; null if it is not live.',
      ),
      deployed_to_dev: NullableTime.describe(
        'Since when its current state is live in development; null if it is not live.',
      ),
      last_hit_at: NullableTime.optional().describe(
        'The time of its last hit by a human; null for never. Present only if a parameter of the list concerns hits.',
      ),
      hits: z
        .int()
        .optional()
        .describe('Hits by humans in the period. Present only if a parameter of the list concerns hits.'),
      live: z
        .partialRecord(EnvironmentName, z.object({ ...ruleFields, ...windowFields }).nullable())
        .optional()
        .describe(
          'By environment, the rule that visitors get if it differs from this redirect: before a change is deployed, or in an environment that the redirect does not have, such as after a promotion. null if an environment of the redirect does not serve it yet. Present only with `include=live`.',
        ),
    })
    .meta({ id: `Redirect${suffix}` });
}

/** The condition `if_updated_at` of a body or query. Its error has the redirect as it is now. */
export function seenRedirect(updatedAt: Date | undefined, dialect: Dialect): Seen<ListedRedirect> | undefined {
  return updatedAt && { updatedAt, toBody: (redirect) => ({ redirect: redirectBody(redirect, dialect) }) };
}

/** Has `last_hit_at` and `hits` only if the redirect was read with its activity, and `live` only if it was read. */
export function redirectBody(
  redirect: Redirect & Partial<Pick<ListedRedirect, 'deployed' | 'activity' | 'live'>>,
  { writeId, environments }: Dialect,
) {
  const { deployed = NEVER_DEPLOYED, activity, live } = redirect;
  return {
    id: writeId(redirect.id),
    website_id: writeId(redirect.websiteId),
    old_path: redirect.oldPath,
    new_path: redirect.newPath,
    status_code: redirect.statusCode,
    is_regex: redirect.isRegex,
    group_id: redirect.groupId,
    notes: redirect.notes,
    target_environments: environments.write(redirect.environments),
    active_from: redirect.activeFrom && isoSeconds(redirect.activeFrom),
    active_until: redirect.activeUntil && isoSeconds(redirect.activeUntil),
    created_at: isoSeconds(redirect.createdAt),
    updated_at: isoSeconds(redirect.updatedAt),
    deployed_to_prod: deployed.production && isoSeconds(deployed.production),
    deployed_to_staging: deployed.staging && isoSeconds(deployed.staging),
    deployed_to_dev: deployed.development && isoSeconds(deployed.development),
    ...(activity && {
      last_hit_at: activity.lastHitAt && isoSeconds(activity.lastHitAt),
      hits: activity.hits,
    }),
    ...(live && { live: liveBody(live) }),
  };
}

function liveBody(live: LiveDifferences) {
  const entries = Object.entries(live).map(([environment, rule]) => [environment, rule && ruleBody(rule)] as const);
  return Object.fromEntries(entries);
}

/** The served fields of a rule, as `ruleFields` and `windowFields` describe them. */
export function ruleBody(rule: LiveRule) {
  return {
    old_path: rule.oldPath,
    new_path: rule.newPath,
    status_code: rule.statusCode,
    is_regex: rule.isRegex,
    active_from: rule.activeFrom && isoSeconds(rule.activeFrom),
    active_until: rule.activeUntil && isoSeconds(rule.activeUntil),
  };
}
