/**
 * The schema of the body of each event type. The API serves it, and tests validate stored events with it. Objects are
 * open, because fields may be added within v1.
 */
import { z } from 'zod';
import { CHECK_KINDS, CHECK_STATES } from '../vocabulary/checks.ts';
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import { EVENT_KINDS, type EventKind } from '../vocabulary/kinds.ts';

const Time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
  .meta({ format: 'date-time' });
/** Like Time, with milliseconds if it has some. */
const Moment = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/)
  .meta({ format: 'date-time' })
  .nullable();
const Id = z.string().min(1);
const Count = z.int().min(0);
const Environment = z.enum(ENVIRONMENTS);

const redirectFields = {
  old_path: z.string(),
  new_path: z.string().nullable(),
  status_code: z.int(),
  is_regex: z.boolean(),
  group_id: z.string().nullable(),
  notes: z.string().nullable(),
  target_environments: z.array(Environment),
  active_from: Moment.describe('the start of its window; null if it is active at once'),
  active_until: Moment.describe('the end of its window, exclusive; null if it stays active'),
};

/** The fields of a redirect that an event stores to undo it. Events of earlier versions have no window. */
const StoredRedirect = z.object({
  id: Id,
  website_id: Id,
  ...redirectFields,
  active_from: redirectFields.active_from.default(null),
  active_until: redirectFields.active_until.default(null),
  created_at: Time,
  updated_at: Time,
});

const DeployedAt = Time.nullable().describe('when its live rule was published there; null if it is not live');

const Redirect = StoredRedirect.extend({
  deployed_to_prod: DeployedAt,
  deployed_to_staging: DeployedAt,
  deployed_to_dev: DeployedAt,
});

const Previous = z
  .object(redirectFields)
  .partial()
  .describe('the previous values of the changed fields; other fields are omitted');

const oneOrMore = <Value extends z.ZodType>(value: Value) => z.union([value, z.array(value)]);

const Bulk = z
  .object({
    filter: z
      .object({
        website_id: Id,
        group: oneOrMore(z.string()),
        not_group: oneOrMore(z.string()),
        q: z.string(),
        new_path: z.string(),
        new_path_contains: z.string(),
        not_new_path_contains: oneOrMore(z.string()),
        old_path_contains: z.string(),
        not_old_path_contains: oneOrMore(z.string()),
        environment: Environment,
        not_environment: oneOrMore(Environment),
        status_code: oneOrMore(z.int()),
        not_status_code: oneOrMore(z.int()),
        is_regex: z.boolean(),
        last_hit_before: Time,
        last_hit_since: Time,
        created_before: Time,
        created_since: Time,
        updated_since: Time,
        schedule: z.string(),
        schedule_before: Time,
        target_state: z.string(),
        not_target_state: oneOrMore(z.string()),
      })
      .partial()
      .describe('the filter of the call'),
    updates: z
      .object({
        ...redirectFields,
        add_environments: z.array(Environment).describe('environments added to each redirect'),
        remove_environments: z.array(Environment).describe('environments removed from each redirect'),
        replace_in_new_path: z
          .object({ find: z.string(), replace_with: z.string() })
          .describe('a text replaced in each target'),
        replace_in_old_path: z
          .object({ find: z.string(), replace_with: z.string() })
          .describe('a text replaced in each path'),
      })
      .partial()
      .nullable()
      .describe('the changes of the call; null for a deletion'),
    count: Count.describe('how many redirects of the website matched'),
    change_id: Id.optional().describe('of an undo: its change'),
  })
  .describe(
    'a bulk call or undo of more than 10,000 redirects makes one event per website; an undo makes one for each kind',
  );

const Deployment = z.object({
  website_id: Id,
  environment: Environment,
  redirect_count: Count.nullable().describe('number of rules in the version; null until the version exists'),
  deployed_at: Time.nullable(),
  deployment_id: Id,
  version: z.int().nullable(),
  started_at: Time.nullable(),
  error: z.string().nullable(),
  note: z.string().nullable().describe('the note of its request'),
  changes: z
    .object({ added: Count, changed: Count, removed: Count })
    .nullable()
    .describe('the difference from the previous version; null until the deployment has ended'),
  warnings: z
    .array(
      z.object({
        code: z.string(),
        old_paths: z.array(z.string()),
        growing: z.boolean().optional(),
        scheduled: z.boolean().optional(),
      }),
    )
    .describe('the first 100 warnings of the deployment, each with its first 20 paths'),
  warning_count: Count,
});

const Import = z.object({
  import_id: Id,
  website_id: Id,
  source: z.enum(['csv', 'api', 'sync']).describe('a file, a call of the key API, or a sync'),
  summary: z.object({
    total_submitted: Count,
    created: Count,
    updated: Count,
    skipped: Count,
    errors: Count,
    deleted: Count.optional().describe('present only for a sync'),
    unchanged: Count.optional().describe('present only for a sync'),
  }),
  processing_time: z
    .string()
    .regex(/^\d+(\.\d+)?s$/)
    .describe('seconds, such as 1.25s'),
  completed_at: Time,
});

const Export = z.object({
  export_id: Id,
  website_id: Id,
  format: z.string(),
  filters: z.looseObject({ group_id: z.string().optional() }).describe('the filters of the export, by parameter'),
  environment: Environment.optional().describe('present only for an export of a version'),
  version: z.int().optional().describe('present only for an export of a version'),
  total_count: Count,
  exported_at: Time,
});

const Check = z.object({
  check_id: Id,
  website_id: Id,
  environment: Environment,
  kind: z.enum(CHECK_KINDS),
  total: Count.describe('targets of the check'),
  states: z.partialRecord(z.enum(CHECK_STATES), Count).describe('how many targets have each state'),
  newly_broken_count: Count.describe('targets that are broken now and were not; errors only after their last try'),
  newly_broken: z
    .array(z.object({ url: z.string(), state: z.enum(CHECK_STATES), reason: z.string().nullable() }))
    .describe('the first 100 of these, by weight'),
  completed_at: Time,
});

const Test = z.literal(true).optional().describe('present only in tests of a webhook: nothing happened');

const data = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object({ ...shape, test: Test });

const DATA = {
  'redirect.created': z.union([data({ redirect: Redirect }), data({ redirect: z.null(), bulk: Bulk })]),
  'redirect.updated': z.union([
    data({ redirect: Redirect, previous: Previous }),
    data({ redirect: z.null(), previous: z.null(), bulk: Bulk }),
  ]),
  'redirect.deleted': z.union([data({ redirect: Redirect }), data({ redirect: z.null(), bulk: Bulk })]),
  'deployment.started': data({ deployment: Deployment.extend({ started_at: Time }) }),
  'deployment.completed': data({
    deployment: Deployment.extend({
      redirect_count: Count,
      deployed_at: Time,
      version: z.int(),
      started_at: Time,
      error: z.null(),
    }),
  }),
  'deployment.failed': data({ deployment: Deployment.extend({ deployed_at: z.null(), error: z.string() }) }),
  'bulk_import.completed': data({ import: Import }),
  'bulk_export.completed': data({ export: Export }),
  'check.completed': data({ check: Check }),
} satisfies Record<EventKind, z.ZodType>;

const DESCRIPTIONS: Record<EventKind, string> = {
  'redirect.created': 'a redirect was added',
  'redirect.updated': 'a redirect was modified',
  'redirect.deleted': 'a redirect was removed',
  'deployment.started': 'a deployment began',
  'deployment.completed': 'a deployment finished successfully',
  'deployment.failed': 'a deployment ended with errors',
  'bulk_import.completed': 'a bulk import finished',
  'bulk_export.completed': 'a bulk export finished',
  'check.completed': 'a live check has a first state of every target',
};

/** A redirect as redirect.* events carry it. */
export type EventRedirect = z.output<typeof Redirect>;
/** A redirect as a stored event of any version has it. */
export type StoredRedirect = z.output<typeof StoredRedirect>;
export type EventRedirectFields = Pick<EventRedirect, keyof typeof redirectFields>;
export type ChangedFields = z.output<typeof Previous>;

const RedirectEvent = z.object({
  data: z.object({ redirect: StoredRedirect.nullable(), previous: Previous.nullish() }),
});

/** Parses the stored body of a redirect.* event. `redirect` is null if the event stands for a bulk call. */
export function parseRedirectEvent(body: string): z.output<typeof RedirectEvent>['data'] {
  return RedirectEvent.parse(JSON.parse(body)).data;
}

/** The body as it is signed and sent. */
export function eventBodySchema(event: EventKind) {
  return z.object({ event: z.literal(event), timestamp: Time, data: DATA[event] });
}

/** Lists the event types with a description and the JSON Schema (draft 2020-12) of the body. */
export function eventTypes(): { event: EventKind; description: string; schema: Record<string, unknown> }[] {
  return EVENT_KINDS.map((event) => {
    const schema = z.toJSONSchema(eventBodySchema(event), { io: 'input' });
    return { event, description: DESCRIPTIONS[event], schema: { ...schema } };
  });
}
