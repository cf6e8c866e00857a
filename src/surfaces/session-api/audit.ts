import { z } from 'zod';
import type { AuditEntry } from '../../accounts/audit.ts';
import { exportAudit, listAudit } from '../../accounts/read-audit.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { sendStream } from '../../http/stream.ts';
import {
  nextCursor,
  pageParameters,
  queryObject,
  searchText,
  Timestamp,
  component,
  part,
} from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { AUDIT_ACTIONS } from '../../vocabulary/audit.ts';
import { wrongParameter } from '../../vocabulary/error.ts';

const auditAction = z.enum(AUDIT_ACTIONS);

const AuditEntryBody = component('AuditEntry', {
  id: z.string().describe('The id, a UUID.'),
  created_at: Timestamp.describe('When it happened.'),
  actor: part('Who did it. Of a failed sign-in, the user whose password was tried.', {
    type: z.enum(['user', 'key', 'system']).describe('A user, an API key, or the operator of the service.'),
    id: z.string().describe('The id of the user or key; empty for the operator.'),
    name: z.string().describe('The email of the user, the name of the key, or `system`.'),
  }),
  action: auditAction.describe('What happened.'),
  target: z
    .string()
    .nullable()
    .describe('What it was done to, such as an email or a name with an id; null for the actor.'),
  details: z.record(z.string(), z.unknown()).nullable().describe('Further facts; null without any.'),
  address: z.string().nullable().describe('The IP address of the client; null without a request.'),
  user_agent: z
    .string()
    .nullable()
    .describe('The user agent of the client, at most 300 characters; null if it sent none.'),
});

export const AuditList = z.object({
  entries: z.array(AuditEntryBody).describe('The entries.'),
  next_cursor: nextCursor,
});

function entryBody({ actorType: type, actorId: id, actorName, ...entry }: AuditEntry) {
  return { ...entry, actor: { type, id, name: actorName } };
}

/** GET /api/audit: the audit log of the account. */
export function auditRoutes(api: Api, { db, reads, streamShares }: SurfaceDeps): void {
  api.get('/audit', {
    config: { role: 'owner', reads: true, gives: { 'application/json': AuditList, 'text/csv': z.string() } },
    operationId: 'listAuditEntries',
    tag: 'Account and users',
    summary: 'List the audit log',
    description:
      'Sign-ins, and changes of users, credentials, webhooks, websites and the plan, of the last 400 days. A user gets at most 20 failed sign-ins an hour. As CSV, the response has all entries that the filter finds; a space precedes cells that a spreadsheet would read as a formula.',
    returns: 'The entries, newest first.',
    errors: ['BUSY'],
    example: { query: { action: 'api_key.created', limit: 1 } },
    querystring: queryObject({
      action: auditAction.optional().describe('Only entries of this action.'),
      actor: searchText
        .optional()
        .describe('Only entries of this actor: the email of a user, the name of an API key, or `system`.'),
      since: Timestamp.optional().describe('Only entries at this time or later.'),
      until: Timestamp.optional().describe('Only entries before this time.'),
      format: z.enum(['json', 'csv']).default('json').describe('`json` (default), or `csv` for the whole list.'),
      ...pageParameters(1_000),
    }),
    response: {
      200: AuditList,
    },
    async handler({ actor, query: { format, limit, cursor, actor: name, ...query } }, reply) {
      const filter = { ...query, actor: name };
      if (format === 'csv') {
        for (const [parameter, value] of Object.entries({ limit, cursor }))
          if (value !== undefined) throw wrongParameter(parameter, 'applies to JSON; a CSV file has the whole list');
        void reply
          .type('text/csv; charset=utf-8')
          .header('Content-Disposition', 'attachment; filename="audit-log.csv"');
        return sendStream(reply, streamShares.lists(actor), () =>
          reads.stream(undefined, (streams) => exportAudit(streams, actor, filter)),
        );
      }
      const { entries, nextCursor: next } = await listAudit(db, actor, filter, { cursor, limit });
      return { entries: entries.map(entryBody), nextCursor: next };
    },
  });
}
