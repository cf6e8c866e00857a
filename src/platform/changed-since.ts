/** The condition `if_updated_at` of a write: the resource is still as the client has seen it. */
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { isoSeconds } from './clock.ts';

/** The state of a resource that a client has seen before its write. */
export interface Seen<Resource> {
  /** the `updated_at` of the resource, in whole seconds */
  updatedAt: Date;
  /** The fields that the error has besides who changed the resource: the resource as it is now. */
  toBody: (current: Resource) => object;
}

export interface LastChange {
  actor: Pick<Actor, 'type' | 'name'> & { id: string | null };
  at: Date;
}

/** True if the resource still has the `updated_at` that the client has seen. */
export function isAsSeen(seen: Date, updatedAt: Date): boolean {
  return isoSeconds(seen) === isoSeconds(updatedAt);
}

/** The error (409) that says who changed the resource and when, with its current state. `last` is null if unknown. */
export function changedSince(
  name: 'redirect' | 'website',
  updatedAt: Date,
  last: LastChange | null,
  current: object,
): DomainError {
  const at = isoSeconds(last?.at ?? updatedAt);
  const by = last ? `${last.actor.name} changed it` : 'It was changed';
  return new DomainError('CHANGED_SINCE', `The ${name} was changed by someone else`, {
    details: `if_updated_at: ${by} at ${at}, and nothing was applied. Compare its current state with your change, then send if_updated_at=${isoSeconds(updatedAt)}`,
    extra: { changed_by: last && actorOf(last), changed_at: at, ...current },
  });
}

const actorOf = ({ actor: { type, id, name } }: LastChange) => ({ type, id, name });
