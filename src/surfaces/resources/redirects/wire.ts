import { z } from 'zod';
import { WrittenTime } from '../../../http/fields.ts';
import { isoSeconds } from '../../../platform/clock.ts';
import type { ListedRedirect } from '../../../redirects/list/find.ts';
import type { RedirectChange } from '../../../redirects/rule/change.ts';
import type { Redirect, RedirectFields } from '../../../redirects/rule/redirect.ts';
import { trimmedOrNull } from '../../../redirects/rule/check-fields.ts';
import type { Dialect, Wire } from '../dialect.ts';

/** The fields of a redirect that a body may set, of the right type. The rules for their values: redirects/rule/check-redirect.ts. */
export function redirectFields({ environments }: Dialect) {
  return {
    old_path: z.string(),
    new_path: z.string().nullable(),
    status_code: z.number(),
    is_regex: z.boolean(),
    group_id: z.string().nullable(),
    notes: z.string().nullable(),
    target_environments: environments.input,
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
  };
}

const NullableTime = WrittenTime.nullable();

/** Its times are text, not dates: lists are streamed as JSON text, without encoding each redirect by this schema. */
export function redirectSchema<W extends Wire>({ id, environments, suffix }: Dialect<W>) {
  return z
    .object({
      id,
      website_id: id,
      old_path: z.string(),
      new_path: z.string().nullable(),
      status_code: z.int(),
      is_regex: z.boolean(),
      group_id: z.string().nullable(),
      notes: z.string().nullable(),
      target_environments: environments.output,
      created_at: WrittenTime,
      updated_at: WrittenTime,
      deployed_to_prod: NullableTime,
      deployed_to_staging: NullableTime,
      deployed_to_dev: NullableTime,
      last_hit_at: NullableTime.optional(),
      hits: z.int().optional(),
    })
    .meta({ id: `Redirect${suffix}` });
}

const NEVER = { production: null, staging: null, development: null };

/** Has `last_hit_at` and `hits` only if the redirect was read with its activity. */
export function redirectBody(
  redirect: Redirect & Partial<Pick<ListedRedirect, 'deployed' | 'activity'>>,
  { writeId, environments }: Dialect,
) {
  const { deployed = NEVER, activity } = redirect;
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
    created_at: isoSeconds(redirect.createdAt),
    updated_at: isoSeconds(redirect.updatedAt),
    deployed_to_prod: deployed.production && isoSeconds(deployed.production),
    deployed_to_staging: deployed.staging && isoSeconds(deployed.staging),
    deployed_to_dev: deployed.development && isoSeconds(deployed.development),
    ...(activity && {
      last_hit_at: activity.lastHitAt && isoSeconds(activity.lastHitAt),
      hits: activity.hits,
    }),
  };
}
