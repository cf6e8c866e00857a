import { isOwnRow } from '../../../accounts/website-scope.ts';
import type { Queryable } from '../../../db/connection/client.ts';
import { and, asc, desc, eq, getTableColumns, gt, type InferSelectModel } from '../../../db/drizzle.ts';
import { changes, importErrors, imports } from '../../../db/schema/redirects.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { DomainError } from '../../../vocabulary/error.ts';

export interface ImportRow extends InferSelectModel<typeof imports> {
  /** the change that took its change back */
  undoneBy: string | null;
}
export type StoredImportError = InferSelectModel<typeof importErrors>;

/** Returns the actor's import. Throws IMPORT_NOT_FOUND if it does not exist or belongs to another account. */
export async function requireImport(db: Queryable, actor: Actor, id: string): Promise<ImportRow> {
  const [found] = await selectImports(db).where(and(eq(imports.id, id), isOwnRow(actor, 'imports')));
  if (found) return found;
  throw new DomainError('IMPORT_NOT_FOUND', 'Import not found', { details: `id: there is no import ${id}` });
}

function selectImports(db: Queryable) {
  return db
    .select({ ...getTableColumns(imports), undoneBy: changes.undoneBy })
    .from(imports)
    .leftJoin(changes, eq(changes.id, imports.changeId));
}

/** Lists the newest imports of a website, newest first. `dryRun`: only dry runs, or only others. */
export function listImports(
  db: Queryable,
  actor: Actor,
  { websiteId, dryRun, limit = 100 }: { websiteId: number; dryRun: boolean | undefined; limit: number | undefined },
): Promise<ImportRow[]> {
  const ofWebsite = and(isOwnRow(actor, 'imports'), eq(imports.websiteId, websiteId));
  return selectImports(db)
    .where(and(ofWebsite, dryRun === undefined ? undefined : eq(imports.dryRun, dryRun)))
    .orderBy(desc(imports.createdAt), desc(imports.id))
    .limit(limit);
}

const PAGE_SIZE = 1_000;

/** Yields all row errors of an import, a page at a time. The caller has checked that the actor may see it. */
export async function* streamImportErrors(db: Queryable, importId: string): AsyncGenerator<StoredImportError[]> {
  let after = -1;
  for (;;) {
    const page = await db
      .select()
      .from(importErrors)
      .where(and(eq(importErrors.importId, importId), gt(importErrors.n, after)))
      .orderBy(asc(importErrors.n))
      .limit(PAGE_SIZE);
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.n ?? after;
  }
}
