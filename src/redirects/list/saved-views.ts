/** Saved views: names for filters of a website's list of redirects, shared by everyone who reaches the website. */
import { type ShownActor, shownActor } from '../../accounts/website-scope.ts';
import { LOCKS } from '../../db/advisory-lock.ts';
import type { Db, Queryable, Tx } from '../../db/connection/client.ts';
import { and, eq, ne, sql } from '../../db/drizzle.ts';
import { savedViews } from '../../db/schema/redirects.ts';
import { newId } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { requireEditableRow, requireWebsiteRow } from '../../websites/website.ts';
import { writeTransaction } from '../../websites/write-website.ts';

export const MAX_VIEWS = 100;

export interface ViewFields {
  /** unique in the website, whatever the case of its letters */
  name: string;
  /** the filters and the order, as the query of the list's URL in the dashboard */
  query: string;
}

export interface SavedView extends ViewFields {
  id: string;
  createdBy: ShownActor;
  createdAt: Date;
}

export interface ViewPlace {
  websiteId: number;
  viewId: string;
}

/** Returns the views of a website by name. Throws WEBSITE_NOT_FOUND. */
export async function listViews(db: Queryable, actor: Actor, websiteId: number): Promise<SavedView[]> {
  await requireWebsiteRow(db, actor, websiteId);
  const rows = await db
    .select()
    .from(savedViews)
    .where(eq(savedViews.websiteId, websiteId))
    .orderBy(sql`lower(${savedViews.name})`, savedViews.name);
  return rows.map((row) => viewOf(actor, row));
}

/** Throws TOO_MANY_ITEMS, CONFLICT for a name that exists, WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE and BUSY. */
export async function createView(db: Db, actor: Actor, websiteId: number, fields: ViewFields): Promise<SavedView> {
  const { type: actorType, id: actorId, name: actorName } = actor;
  const row = { id: newId('vw_'), websiteId, ...fields, actorType, actorId, actorName };
  const stored = await write(db, actor, websiteId, async (tx) => {
    if ((await tx.$count(savedViews, eq(savedViews.websiteId, websiteId))) >= MAX_VIEWS)
      throw invalid('name', `the website has ${MAX_VIEWS} views, the maximum; delete one first`, 'TOO_MANY_ITEMS');
    await assertNewName(tx, websiteId, fields.name);
    return tx.insert(savedViews).values(row).returning();
  });
  return viewOf(actor, first(stored, row.id));
}

/** Throws VIEW_NOT_FOUND, CONFLICT for a name that exists, WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE and BUSY. */
export async function updateView(db: Db, actor: Actor, place: ViewPlace, fields: ViewFields): Promise<SavedView> {
  const change = async (tx: Tx) => {
    const { name } = first(await tx.select().from(savedViews).where(isView(place)), place.viewId);
    if (name !== fields.name) await assertNewName(tx, place.websiteId, fields.name, place.viewId);
    return tx.update(savedViews).set(fields).where(isView(place)).returning();
  };
  return viewOf(actor, first(await write(db, actor, place.websiteId, change), place.viewId));
}

/** Throws VIEW_NOT_FOUND, WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE and BUSY. */
export async function deleteView(db: Db, actor: Actor, place: ViewPlace): Promise<void> {
  const remove = (tx: Tx) => tx.delete(savedViews).where(isView(place)).returning();
  first(await write(db, actor, place.websiteId, remove), place.viewId);
}

type Row = typeof savedViews.$inferSelect;

/** One write at a time in the website, or concurrent ones would exceed the limit or use a name twice. */
function write(db: Db, actor: Actor, websiteId: number, work: (tx: Tx) => Promise<Row[]>): Promise<Row[]> {
  return writeTransaction(db, actor, async (tx) => {
    await requireEditableRow(tx, actor, websiteId);
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.savedViews}::int, ${websiteId}::int)`);
    return work(tx);
  });
}

/** Throws CONFLICT if another view has the name, in any case of its letters. */
async function assertNewName(tx: Tx, websiteId: number, name: string, viewId = ''): Promise<void> {
  const isSame = sql`lower(${savedViews.name}) = lower(${name})`;
  const others = and(eq(savedViews.websiteId, websiteId), ne(savedViews.id, viewId), isSame);
  if ((await tx.$count(savedViews, others)) === 0) return;
  throw new DomainError('CONFLICT', 'A view with this name exists', {
    details: 'name: the website has a view with this name; choose another one, or update that view',
  });
}

const isView = ({ websiteId, viewId }: ViewPlace) =>
  and(eq(savedViews.websiteId, websiteId), eq(savedViews.id, viewId));

function first([row]: Row[], id: string): Row {
  if (row) return row;
  throw new DomainError('VIEW_NOT_FOUND', 'Saved view not found', {
    details: `view_id: the website has no saved view "${id.slice(0, 40)}"; list its views first`,
  });
}

function viewOf(viewer: Actor, { id, name, query, createdAt, ...by }: Row): SavedView {
  const createdBy = shownActor(viewer, { type: by.actorType, id: by.actorId, name: by.actorName });
  return { id, name, query, createdBy, createdAt };
}
