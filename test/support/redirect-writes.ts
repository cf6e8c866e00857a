/** An account in a fresh database, and the writes of its redirects as functions, without HTTP. */
import { createAccount } from '../../src/accounts/account.ts';
import { type Db } from '../../src/db/connection/client.ts';
import { sql } from '../../src/db/drizzle.ts';
import { websites } from '../../src/db/schema/websites.ts';
import { writeExpectations } from '../../src/expectations/write.ts';
import { flattenChains } from '../../src/health/flatten.ts';
import { importNdjson } from '../../src/redirects/import/files/import-bulk.ts';
import { importSync } from '../../src/redirects/import/sync/import-sync.ts';
import { createImportPermits } from '../../src/platform/scheduling/import-permits.ts';
import { storeVerdicts } from '../../src/redirects/import/verdicts/store-verdicts.ts';
import { runImport } from '../../src/redirects/import/engine/run-import.ts';
import { listActivity } from '../../src/redirects/changes/website-activity.ts';
import { undoChange } from '../../src/redirects/undo/undo-change.ts';
import { bulkDeleteRedirects, bulkUpdateRedirects } from '../../src/redirects/write/bulk.ts';
import { type BulkUpdates, previewBulkUpdate } from '../../src/redirects/write/bulk-plan.ts';
import type { Selection } from '../../src/redirects/write/selection.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';

export async function createWriter(db: Db) {
  const owner = { email: 'owner@example.com', plan: 'enterprise', password: 'a long password' } as const;
  const { account } = await createAccount(db, owner);
  const { id: accountId } = account;
  const caller = { type: 'user', id: '1', name: 'owner', role: 'owner', scope: null } as const;
  const actor: Actor = { ...caller, accountId, plan: 'enterprise' };
  const deps = { db, instanceId: 1, permits: createImportPermits(db) };
  let calls = 0;
  const nextId = () => `imp_${++calls}`;
  return {
    actor,
    async createSite(): Promise<number> {
      const values = { accountId, name: 'site', autoDeploy: false };
      const [site] = await db.insert(websites).values(values).returning({ id: websites.id });
      return site?.id ?? 0;
    },
    async ids(websiteId: number): Promise<number[]> {
      const query = sql`select id from redirects where website_id = ${websiteId} order by id`;
      return (await db.execute<{ id: string }>(query)).rows.map(({ id }) => Number(id));
    },
    load: (websiteId: number, entries: object[], more: object = {}) =>
      importNdjson(deps, actor, nextId(), { website_id: String(websiteId), ...more }, bodyOf(entries)),
    sync(websiteId: number, entries: object[], dryRun = false) {
      const none = { groupId: undefined, fields: undefined, ifRevision: undefined, ifHistory: undefined };
      const call = { ...none, websiteId, dryRun, maxDelete: { percent: 100 }, body: { format: 'ndjson' } } as const;
      return importSync(deps, actor, nextId(), call, bodyOf(entries), { live: () => undefined, now: new Date() });
    },
    async update(selection: Selection, updates: BulkUpdates): Promise<string> {
      return (await bulkUpdateRedirects(db, actor, { selection, updates, bulk: {} })).changeIds[0] ?? '';
    },
    previewUpdate: (selection: Selection, updates: BulkUpdates) => previewBulkUpdate(db, actor, { selection, updates }),
    async remove(selection: Selection): Promise<string> {
      return (await bulkDeleteRedirects(db, actor, { selection, bulk: {} })).changeIds[0] ?? '';
    },
    flatten: (websiteId: number, dryRun = false) =>
      flattenChains({ db, writes: db, live: () => undefined }, actor, {
        websiteId,
        environment: 'production',
        redirectIds: undefined,
        dryRun,
      }),
    /** A dry run of new rows with a verdict on each. */
    async checkRows(websiteId: number, count: number) {
      const fields = { groupId: null, notes: null, isRegex: false, statusCode: 302, environments: undefined };
      const rows = Array.from({ length: count }, (_, line) => {
        const [path, window] = [`/b${line}`, { activeFrom: undefined, activeUntil: undefined }];
        return { line, key: path, oldPath: path, newPath: '/new', ...fields, ...window };
      });
      const batches = (async function* () {
        yield { rows, bytes: 0 };
      })();
      const settle = async () => ({ websiteId, dryRun: true });
      const request = {
        source: 'csv',
        mode: 'update',
        batches,
        importId: nextId(),
        settle,
        keepRows: storeVerdicts,
      } as const;
      return runImport(deps, actor, request);
    },
    expect(websiteId: number, expectations: object[], { replaces = true } = {}) {
      const input = { websiteId, format: 'ndjson', replaces, maxDelete: { percent: 100 } } as const;
      return writeExpectations(deps, actor, input, bodyOf(expectations));
    },
    activity: (websiteId: number) => listActivity(db, actor, { websiteId, filter: {}, limit: 100 }),
    undo: (changeId: string | null, dryRun = false) => undoChange(deps, actor, { changeId: changeId ?? '', dryRun }),
  };
}

export type Writer = Awaited<ReturnType<typeof createWriter>>;

async function* bodyOf(entries: object[]) {
  yield Buffer.from(entries.map((entry) => JSON.stringify(entry)).join('\n'));
}
