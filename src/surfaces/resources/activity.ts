import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import {
  actorField,
  nextCursor,
  pageParameters,
  queryObject,
  staleness,
  Timestamp,
  component,
} from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { type ActivityEntry, listActivity } from '../../redirects/changes/website-activity.ts';
import { ACTIVITY_KINDS } from '../../vocabulary/kinds.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { AUDIT_ACTIONS } from '../../vocabulary/audit.ts';
import { changeBody, changeSchema } from './change-wire.ts';
import { changeFilterFields } from './changes.ts';
import { deploymentBody, deploymentSchema } from './deployments/deployment-wire.ts';
import type { Dialect, Wire } from './dialect.ts';

const DEFAULT_LIMIT = 100;

const SettingsBody = z.object({
  id: z.string().describe('The id of the entry in the audit log.'),
  action: z.enum(AUDIT_ACTIONS).describe('What was done, an action of the audit log.'),
  target: z.string().nullable().describe('What it was done to, such as a name with an id.'),
  details: z.record(z.string(), z.unknown()).nullable().describe('Further facts; null without any.'),
});

export function activityList<W extends Wire>(dialect: Dialect<W>) {
  const summary = deploymentSchema(dialect)
    .omit({ warnings: true, requested_by: true, website_id: true })
    .meta({ id: dialect.named('DeploymentSummary') });
  const entry = component(dialect.named('ActivityEntry'), {
    type: z.enum(['change', 'deployment', 'settings']).describe('Which of the fields below is set.'),
    website_id: dialect.id.nullable().describe('The website that it concerns; null for the account.'),
    created_at: Timestamp.describe('When it happened.'),
    actor: actorField,
    change: changeSchema(dialect).nullable().describe('The change of redirects; otherwise null.'),
    deployment: summary.nullable().describe('The deployment; otherwise null.'),
    settings: SettingsBody.nullable().describe('The change of settings; otherwise null.'),
  });
  return z.object({ activity: z.array(entry).describe('The entries.'), next_cursor: nextCursor });
}

/** GET /activity: what happened to a website, or in the account. */
export function activityRoute(api: Api, { reads }: SurfaceDeps, dialect: Dialect): void {
  const { websiteId } = dialect;
  api.get('/activity', {
    ...dialect.operation('listActivity', 'changes'),
    summary: 'List the activity of a website or of all',
    description:
      'Changes of redirects, deployments and changes of settings in the last 30 days; of automatic deployments only failed ones. Owners, and keys that are not limited to websites, also get changes of webhooks. Without `website_id`, the list has all websites that you reach; for owners also changes of users, invitations, keys and the plan.',
    returns: 'The entries, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: dialect.writeId(1), limit: 2 } },
    querystring: queryObject({
      website_id: websiteId.query.optional().describe('The id of the website. Default: all websites that you reach.'),
      ...changeFilterFields,
      kind: z.enum(ACTIVITY_KINDS).optional().describe('Only entries of this kind.'),
      since: Timestamp.optional().describe('Only entries at this time or later.'),
      until: Timestamp.optional().describe('Only entries before this time.'),
      ...pageParameters(1_000, DEFAULT_LIMIT),
      ...staleness,
    }),
    response: { 200: activityList(dialect) },
    async handler({ actor, query: { limit = DEFAULT_LIMIT, cursor, maxStaleness, ...query } }) {
      const { websiteId: id, ...filter } = query;
      const input = { websiteId: id === undefined ? undefined : websiteId.read(id), filter, limit, cursor };
      const { activity, nextCursor: next } = await reads.read(maxStaleness, (db) => listActivity(db, actor, input));
      return { activity: activity.map((entry) => entryBody(actor, entry)), nextCursor: next };
    },
  });
}

function entryBody(viewer: Actor, entry: ActivityEntry) {
  const common = { type: entry.type, createdAt: entry.at, change: null, deployment: null, settings: null };
  if (entry.type === 'change') {
    const { actor, websiteId } = entry.change;
    return { ...common, actor, websiteId, change: changeBody(entry.change) };
  }
  if (entry.type === 'settings') {
    const { actor, websiteId } = entry.settings;
    return { ...common, actor, websiteId, settings: entry.settings };
  }
  const deployment = deploymentBody(viewer, entry.deployment);
  return { ...common, actor: deployment.actor, websiteId: deployment.websiteId, deployment };
}
