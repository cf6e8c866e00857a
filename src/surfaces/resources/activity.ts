import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { sendStream } from '../../http/stream.ts';
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
import { listActivity } from '../../redirects/changes/website-activity.ts';
import { ACTIVITY_KINDS } from '../../vocabulary/kinds.ts';
import { AUDIT_ACTIONS } from '../../vocabulary/audit.ts';
import { wrongParameter } from '../../vocabulary/error.ts';
import { entryBody, exportActivity } from './activity-entry.ts';
import { changeSchema } from './change-wire.ts';
import { changeFilterFields } from './changes.ts';
import { deploymentSchema } from './deployments/deployment-wire.ts';
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
export function activityRoute(api: Api, { reads, streamShares }: SurfaceDeps, dialect: Dialect): void {
  const { websiteId } = dialect;
  const List = activityList(dialect);
  api.get('/activity', {
    config: { reads: true, gives: { 'application/json': List, 'text/csv': z.string() } },
    ...dialect.operation('listActivity', 'changes'),
    summary: 'List the activity of a website or of all',
    description:
      'Changes of redirects, deployments and changes of settings in the last 30 days; of automatic deployments only failed ones. Owners, and keys that are not limited to websites, also get changes of webhooks. Without `website_id`, the list has all websites that you reach; for owners also changes of users, invitations, keys and the plan. As CSV, the response has all entries found; a space precedes cells that a spreadsheet would read as a formula.',
    returns: 'The entries, newest first.',
    errors: ['WEBSITE_NOT_FOUND', 'BUSY'],
    example: { query: { website_id: dialect.writeId(1), limit: 2 } },
    querystring: queryObject({
      website_id: websiteId.query.optional().describe('The id of the website. Default: all websites that you reach.'),
      ...changeFilterFields,
      kind: z.enum(ACTIVITY_KINDS).optional().describe('Only entries of this kind.'),
      since: Timestamp.optional().describe('Only entries at this time or later.'),
      until: Timestamp.optional().describe('Only entries before this time.'),
      format: z.enum(['json', 'csv']).default('json').describe('`json` (default), or `csv` for the whole list.'),
      ...pageParameters(1_000, DEFAULT_LIMIT),
      ...staleness,
    }),
    response: { 200: List },
    async handler({ actor, query: { format, limit, cursor, maxStaleness, ...query } }, reply) {
      const { websiteId: id, ...filter } = query;
      const found = { websiteId: id === undefined ? undefined : websiteId.read(id), filter };
      if (format === 'csv') {
        for (const [name, value] of Object.entries({ limit, cursor }))
          if (value !== undefined) throw wrongParameter(name, 'applies to JSON; a CSV file has the whole list');
        void reply.type('text/csv; charset=utf-8').header('Content-Disposition', 'attachment; filename="activity.csv"');
        return sendStream(reply, streamShares.lists(actor), () =>
          reads.stream(maxStaleness, (streams) => exportActivity(streams, actor, found)),
        );
      }
      const input = { ...found, limit: limit ?? DEFAULT_LIMIT, cursor };
      const { activity, nextCursor: next } = await reads.read(maxStaleness, (db) => listActivity(db, actor, input));
      return { activity: activity.map((entry) => entryBody(actor, entry)), nextCursor: next };
    },
  });
}
