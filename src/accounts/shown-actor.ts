/** Actors of changes and events as a viewer may see them: a person limited to websites learns nothing of colleagues and API keys. */
import { sql, type SQL } from '../db/drizzle.ts';
import type { Actor } from '../vocabulary/actor.ts';

export interface ShownActor extends Pick<Actor, 'type' | 'name'> {
  /** null for a colleague whom the viewer may not know */
  id: string | null;
}

const COLLEAGUE: ShownActor = { type: 'user', id: null, name: 'a colleague' };

const isSelf = (viewer: Actor, { type, id }: ShownActor): boolean => type === viewer.type && id === viewer.id;

/** Returns the actor, or for a limited person `a colleague` unless it is the person or the service itself. */
export function shownActor(viewer: Actor, actor: ShownActor): ShownActor {
  if (viewer.editableIds === undefined || actor.type === 'system' || isSelf(viewer, actor)) return actor;
  return COLLEAGUE;
}

/** SQL condition: shownActor has this name for the row `alias`, which has the columns of an actor. */
export function isShownAs(viewer: Actor, name: string, alias: string): SQL {
  const column = (field: string): SQL => sql`${sql.identifier(alias)}.${sql.identifier(`actor_${field}`)}`;
  if (viewer.editableIds === undefined) return sql`${column('name')} = ${name}`;
  return sql`case when ${column('type')} = 'system' or (${column('type')} = ${viewer.type} and ${column('id')} = ${viewer.id})
    then ${column('name')} else ${COLLEAGUE.name} end = ${name}`;
}
