/** Checks on the wire. */
import { z } from 'zod';
import { shownActor } from '../../../accounts/website-scope.ts';
import type { Check as StoredCheck, CheckFilter } from '../../../checks/check.ts';
import type { CheckCounts } from '../../../checks/list-checks.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import { actorField, component, EnvironmentName, opaqueId, part, Timestamp } from '../../../http/wire/fields.ts';
import type { Camel } from '../../../http/wire/wire-names.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import {
  CHECK_KINDS,
  CHECK_STATES,
  CHECK_STATUSES,
  CHECK_TRIGGERS,
  type CheckKind,
  MAX_RATE,
} from '../../../vocabulary/checks.ts';
import { wrongParameter } from '../../../vocabulary/error.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { filterSchema, readFilter } from '../../resources/redirects/filter.ts';
import { filterFields as urlFilterFields } from '../urls/urls.ts';

export const CHECKS = '/websites/:id/checks';
export const CHECK = `${CHECKS}/:check_id`;
export const examplePath = { id: '1', check_id: EXAMPLE_IDS.check };
export const websiteParams = z.object({ id: keyDialect.websiteId.path });
export const checkParams = websiteParams.extend({
  check_id: opaqueId('CHECK_NOT_FOUND', 'Check').describe('The id of the check, `chk_...`.'),
});

/** Path parameters of a route of a check as its place. */
export const checkPlace = ({ id, checkId }: { id: string | number; checkId: string }) => ({
  websiteId: keyDialect.websiteId.read(id),
  checkId,
});

const redirectFilter = filterSchema(keyDialect).omit({ website_id: true, environment: true }).shape;
const { environment: _environment, ...urlFilter } = urlFilterFields;
const Filter = z
  .strictObject({ ...urlFilter, ...redirectFilter })
  .describe(
    'Only these redirects, by the filters of their list. Of the kind `urls` only these URLs: `q`, `state`, `list`, `source` and `type`.',
  );

/** Returns the filter of a kind. Throws INVALID_PARAMETER for a field of the other one. */
export function readCheckFilter(kind: CheckKind, filter: Camel<z.output<typeof Filter>>): CheckFilter {
  const { state, list, source, type, q, ...ofRedirects } = filter;
  const ofUrls = { state, list, source, type };
  for (const [name, value] of Object.entries(kind === 'urls' ? ofRedirects : ofUrls)) {
    if (value === undefined) continue;
    const wire = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    throw wrongParameter(`filter.${wire}`, `does not apply to the kind ${kind}`);
  }
  return kind === 'urls' ? { ...ofUrls, q } : readFilter({ ...ofRedirects, q }, keyDialect);
}

export const newCheck = {
  kind: z
    .enum(CHECK_KINDS)
    .describe(
      '`targets`: whether the targets of redirects work. `sources`: whether redirects are served at the public host. `urls`: whether living URLs answer 200.',
    ),
  environment: EnvironmentName.default('production').describe('The environment. Default `production`.'),
  filter: Filter.optional(),
  base_url: z
    .string()
    .optional()
    .describe(
      'The origin of own addresses: a verified host of the website. Default: https at the first verified host of the environment.',
    ),
  rate: z
    .int()
    .min(1)
    .max(MAX_RATE)
    .optional()
    .describe(`Requests a second to the host of \`base_url\`, 1 to ${MAX_RATE}. Default 2. Other hosts get at most 2.`),
};

const count = (text: string) => z.int().describe(text);

const fields = {
  id: z.string().describe('The id of the check, `chk_...`.'),
  website_id: keyDialect.id.describe('The id of the website.'),
  kind: newCheck.kind,
  environment: EnvironmentName.describe('The environment.'),
  trigger: z
    .enum(CHECK_TRIGGERS)
    .describe('What started it: a call, the `check_schedule` of the website, or a deployment.'),
  status: z
    .enum(CHECK_STATUSES)
    .describe('`completed`: every target has a first state; errors are tried again for an hour.'),
  error: z.string().nullable().describe('Why it failed; else null.'),
  base_url: z.string().nullable().describe('The origin of own addresses; null if the website has no verified host.'),
  rate: count('Requests a second to that host.'),
  progress: part('How far it is.', {
    total: count('Targets.'),
    done: count('Targets with a state.'),
    skipped: count('Redirects whose target cannot be asked, such as that of a pattern with groups.'),
    postponed: count(
      'Of `schedule`: targets beyond those of the day, which the next scheduled check asks. Of `deployment`: redirects beyond the sample of 200.',
    ),
  }),
  estimated_end: Timestamp.describe('When every target should have a first state.'),
  started_at: Timestamp.nullable().describe('When it started to run.'),
  ended_at: Timestamp.nullable().describe('When it was completed or stopped, or failed.'),
  created_by: actorField,
  created_at: Timestamp.describe('When it was created.'),
};

/** In a list. */
export const ListedCheck = component('ListedCheck', fields);

export const CheckBody = component('Check', {
  ...fields,
  states: z.partialRecord(z.enum(CHECK_STATES), z.int()).describe('How many targets have each state.'),
  unconfirmed: count('Errors that are tried again.'),
  newly_broken: count('Targets that are broken and were not when they were last asked; errors only if confirmed.'),
  is_first: z
    .boolean()
    .describe('true: the website has no earlier check of the kind, so that all that is broken counts as newly broken.'),
}).describe('The check.');

const time = (text: string | null): Date | null => (text === null ? null : new Date(text));

export const listedCheck = (viewer: Actor, check: StoredCheck) => ({
  ...check,
  progress: check,
  estimatedEnd: new Date(check.estimatedEnd),
  startedAt: time(check.startedAt),
  endedAt: time(check.endedAt),
  createdAt: new Date(check.createdAt),
  createdBy: shownActor(viewer, { type: check.actorType, id: check.actorId, name: check.actorName }),
});

/** A check with its counts, which a new one does not have. */
export const checkBody = (viewer: Actor, check: StoredCheck & Partial<CheckCounts> & { isFirst: boolean }) => ({
  ...listedCheck(viewer, check),
  states: check.states ?? {},
  unconfirmed: check.unconfirmed ?? 0,
  newlyBroken: check.newlyBroken ?? 0,
  isFirst: check.isFirst,
});
