import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireRole } from '../../accounts/permissions.ts';
import { ENTRY_TYPES, entryFormat, takeStreams, withDecodedBody } from '../../http/body/decoded-body.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import type { SyncOutput } from '../../http/jobs.ts';
import { ENTRY_ERRORS } from '../../http/route-docs.ts';
import { withSpooledBody } from '../../http/body/spool.ts';
import { type Camel, wireWriter } from '../../http/wire/wire-names.ts';
import { withZod } from '../../http/wire/zod.ts';
import { heldBody } from '../../http/wire/fields.ts';
import { clearedFields } from '../../redirects/import/sync/sync-guards.ts';
import { missing } from '../../vocabulary/error.ts';
import { keyDialect } from '../resources/dialect.ts';
import { assertNoWildcards, BulkEntry } from './bulk-wire.ts';
import { SyncBody, SyncQuery, SyncResult } from './sync-wire.ts';

/** PUT /api/v1/websites/{id}/redirects. Needs a separate scope, because it reads bodies as streams. */
export async function syncRoute(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  takeStreams(app, Object.values(ENTRY_TYPES));
  const takes = { [ENTRY_TYPES.json]: SyncBody, [ENTRY_TYPES.ndjson]: BulkEntry, [ENTRY_TYPES.csv]: z.string() };
  withZod(app).put('/websites/:id/redirects', {
    config: { role: 'viewer', takes, gives: { [ENTRY_TYPES.json]: SyncResult } },
    operationId: 'syncRedirectsV1',
    tag: 'Bulk import and export',
    summary: 'Sync redirects',
    description:
      'Makes the redirects of the website, or of one group, exactly those of the body, in one transaction. A field that no entry names keeps its stored value; one that some entries name has its default in the others, and `cleared` counts what is lost by that. Unchanged redirects keep their id, times and hits. If an entry is invalid or a path is duplicated, nothing is applied: 422 with `errors`. As `application/x-ndjson`, the body has one entry per line; as `text/csv`, it is a file with a header. Sizes and `Content-Encoding: gzip` as for the bulk import. A dry run needs only a read key, and also lists the loops and failed expectations that a deployment would have.',
    returns: 'The result.',
    errors: [...ENTRY_ERRORS, 'TOO_MANY_DELETES', 'REVISION_CHANGED', ...keyDialect.roleErrors],
    example: {
      path: { id: '1' },
      query: { group_id: 'campaigns', max_delete: '20%', dry_run: true },
      body: {
        redirects: [
          { old_path: '/spring', new_path: '/offers/spring', status_code: 302 },
          { old_path: '/summer', new_path: '/offers/summer', status_code: 302 },
        ],
      },
    },
    params: z.object({ id: keyDialect.websiteId.path }),
    querystring: SyncQuery,
    async handler(request, reply) {
      const result = await sync(deps, request);
      deps.committed();
      return reply.type('application/json; charset=utf-8').send(syncBody(result));
    },
  });
}

type SyncRequest = FastifyRequest<{ Params: { id: number | string }; Querystring: Camel<z.output<typeof SyncQuery>> }>;

function sync(deps: SurfaceDeps, request: SyncRequest): Promise<SyncOutput> {
  const { actor, query, params } = request;
  const { dryRun = false, wildcards, groupId, ifRevision, ifHistory, maxDelete, fields } = query;
  if (!dryRun) requireRole(actor, 'editor');
  if (ifHistory !== undefined && ifRevision === undefined) throw missing('if_revision', 'required beside if_history');
  const websiteId = keyDialect.websiteId.read(params.id);
  const call = { websiteId, groupId, dryRun, ifRevision, ifHistory, maxDelete, fields };
  const format = entryFormat(request);
  return withDecodedBody(request, (body) => {
    if (format !== 'csv') {
      assertNoWildcards(query);
      return deps.jobs.syncRedirects(actor, { ...call, body: { format } }, body);
    }
    return withSpooledBody(actor, body, (path) =>
      deps.jobs.syncRedirects(actor, { ...call, body: { format, path, wildcards } }),
    );
  });
}

const write = wireWriter(SyncResult);

/** The response as UTF-8. The plan is JSON already: to encode it takes too long for this thread. */
function syncBody({ planned, ...result }: SyncOutput): Buffer {
  const { created, updated, deleted, unchanged = 0, cleared = {}, held } = result;
  const sync = { created, updated, deleted, unchanged };
  const deployments = result.deployments.map(({ id }) => id);
  const text = JSON.stringify(
    write({ ...result, sync, cleared: clearedFields({ cleared }), deployments, ...heldBody(held) }),
  );
  if (!planned) return Buffer.from(text);
  return Buffer.concat([Buffer.from(text.slice(0, -1)), planned, Buffer.from('}')]);
}
