import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { actorField, nextCursor, pageParameters, queryObject, Timestamp } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { type ActivityEntry, listActivity } from '../../redirects/changes/website-activity.ts';
import { ACTIVITY_KINDS } from '../../vocabulary/activity.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { SettingsEntry } from '../../accounts/settings-activity.ts';
import { changeBody, changeSchema } from '../resources/change-wire.ts';
import { changeFilterFields } from '../resources/changes.ts';
import { deploymentBody, deploymentSchema } from '../resources/deployment-wire.ts';
import { sessionDialect } from '../resources/dialect.ts';
import { auditAction } from './audit.ts';

const DEFAULT_LIMIT = 100;

const SettingsBody = z.object({
  id: z.string().describe('The id of the entry in the audit log.'),
  action: auditAction.describe('What was done, an action of the audit log.'),
  target: z.string().nullable().describe('What it was done to, such as a name with an id.'),
  details: z.record(z.string(), z.unknown()).nullable().describe('Further facts; null without any.'),
});

const DeploymentSummary = deploymentSchema(sessionDialect)
  .omit({ warnings: true, requested_by: true, website_id: true })
  .meta({ id: 'DeploymentSummary' });

const ActivityBody = z
  .object({
    type: z.enum(['change', 'deployment', 'settings']).describe('Which of the fields below is set.'),
    created_at: Timestamp.describe('When it happened.'),
    actor: actorField,
    change: changeSchema(sessionDialect).nullable().describe('The change of redirects; otherwise null.'),
    deployment: DeploymentSummary.nullable().describe('The deployment; otherwise null.'),
    settings: SettingsBody.nullable().describe('The change of settings; otherwise null.'),
  })
  .meta({ id: 'ActivityEntry' });

export const ActivityList = z.object({
  activity: z.array(ActivityBody).describe('The entries.'),
  next_cursor: nextCursor,
});

/** GET /api/activity: what happened to a website. */
export function activityRoute(api: Api, { db }: SurfaceDeps): void {
  const { websiteId } = sessionDialect;
  api.get(
    '/activity',
    {
      schema: {
        operationId: 'listActivity',
        tag: sessionDialect.tags.changes,
        summary: 'List the activity of a website',
        description:
          'Changes of redirects, deployments and changes of settings in the last 30 days. Automatic deployments are listed only if they failed. Changes of webhooks are listed for owners.',
        returns: 'The entries, newest first.',
        errors: ['WEBSITE_NOT_FOUND'],
        example: { query: { website_id: 1, limit: 2 } },
        querystring: queryObject({
          website_id: websiteId.query,
          ...changeFilterFields,
          kind: z.enum(ACTIVITY_KINDS).optional().describe('Only entries of this kind.'),
          ...pageParameters(1_000, DEFAULT_LIMIT),
        }),
        response: { 200: ActivityList },
      },
    },
    async ({ actor, query: { website_id, kind, actor: name, old_path: oldPath, limit = DEFAULT_LIMIT, cursor } }) => {
      const filter = { kind, actor: name, oldPath };
      const input = { websiteId: websiteId.read(website_id), filter, limit, cursor };
      const { activity, nextCursor: next } = await listActivity(db, actor, input);
      return { activity: activity.map((entry) => entryBody(actor, entry)), next_cursor: next };
    },
  );
}

function entryBody(viewer: Actor, entry: ActivityEntry): z.output<typeof ActivityBody> {
  const common = { type: entry.type, created_at: entry.at, change: null, deployment: null, settings: null };
  if (entry.type === 'change') {
    const change = { ...changeBody(entry.change, sessionDialect), website_id: entry.change.websiteId };
    return { ...common, actor: change.actor, change };
  }
  if (entry.type === 'settings') return { ...common, ...settingsFields(entry.settings) };
  const {
    warnings: _warnings,
    requested_by: _same,
    ...body
  } = deploymentBody(viewer, entry.deployment, sessionDialect);
  const { website_id: _website, ...deployment } = body;
  return { ...common, actor: body.actor, deployment };
}

function settingsFields({ id, action, target, details, actor }: SettingsEntry) {
  return { actor, settings: { id, action, target, details } };
}
