import { z } from 'zod';
import { EnvironmentName, WrittenTime } from '../../http/fields.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { parseEnvironmentList, trimmedOrNull } from '../../redirects/rule/check-fields.ts';
import type { RedirectChange } from '../../redirects/rule/change.ts';
import type { ListedRedirect } from '../../redirects/list/find.ts';
import type { Redirect, RedirectFields } from '../../redirects/rule/redirect.ts';
import type { ErrorCode } from '../../vocabulary/error.ts';

/** Surface C spells environments as one comma string: white space around names is allowed in, the canonical order comes out. */
export const TargetEnvironments = z.codec(
  z.string().check((context) => {
    const parsed = parseEnvironmentList(context.value);
    if (!('problem' in parsed)) return;
    const params = { code: 'INVALID_ENVIRONMENT' satisfies ErrorCode };
    context.issues.push({ code: 'custom', input: context.value, message: parsed.problem, params });
  }),
  z.array(EnvironmentName),
  {
    decode: (text) => {
      const parsed = parseEnvironmentList(text);
      return 'problem' in parsed ? [] : parsed.environments;
    },
    encode: (environments) => environments.join(','),
  },
);

/** What a body may say of a redirect; the rules that need more than a type are redirects/check-redirect.ts. */
export const redirectFields = {
  old_path: z.string(),
  new_path: z.string().nullable(),
  status_code: z.number(),
  is_regex: z.boolean(),
  group_id: z.string().nullable(),
  notes: z.string().nullable(),
  target_environments: TargetEnvironments,
};

/** Fields of the resource that a body may carry back unchanged; they are ignored. */
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

type Fields = { [K in keyof typeof redirectFields]?: z.output<(typeof redirectFields)[K]> | undefined };

/** The fields that a body gives, in the words of the feature; labels without the white space around them. */
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

/** A new redirect from a body: what it leaves out takes its default. */
export function redirectFieldsOf(body: Fields & { old_path: string }): RedirectFields {
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

const Moment = WrittenTime.nullable();

/** A redirect as it is answered, which is JSON text already: lists of it are streamed. */
export const RedirectBody = z
  .object({
    id: z.int(),
    website_id: z.int(),
    old_path: z.string(),
    new_path: z.string().nullable(),
    status_code: z.int(),
    is_regex: z.boolean(),
    group_id: z.string().nullable(),
    notes: z.string().nullable(),
    target_environments: z.string(),
    created_at: WrittenTime,
    updated_at: WrittenTime,
    deployed_to_prod: Moment,
    deployed_to_staging: Moment,
    deployed_to_dev: Moment,
    last_hit_at: Moment.optional(),
    hits: z.int().optional(),
  })
  .meta({ id: 'Redirect' });

const NEVER = { production: null, staging: null, development: null };

/** A redirect as surface C answers it: integer ids, environments as a comma string. Hits only where they were asked for. */
export function redirectBody(
  redirect: Redirect & Partial<Pick<ListedRedirect, 'deployed' | 'activity'>>,
): z.output<typeof RedirectBody> {
  const { deployed = NEVER, activity } = redirect;
  return {
    id: redirect.id,
    website_id: redirect.websiteId,
    old_path: redirect.oldPath,
    new_path: redirect.newPath,
    status_code: redirect.statusCode,
    is_regex: redirect.isRegex,
    group_id: redirect.groupId,
    notes: redirect.notes,
    target_environments: redirect.environments.join(','),
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
