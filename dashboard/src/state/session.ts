import { computed, signal } from '@preact/signals';
import type { Role } from '../../../src/vocabulary/actor.ts';
import { ApiError } from '../api/api-error.ts';
import { onSignedOut } from '../api/client.ts';
import { fetchSession, signOut as endSession } from '../api/session.ts';
import type { User } from '../api/wire.ts';

/** Who is signed in; null: nobody; undefined: not known yet. */
export const user = signal<User | null | undefined>(undefined);

const RANK: Record<Role, number> = { viewer: 0, editor: 1, owner: 2 };

/** True where the user's role allows what asks for `least`. The service decides again; this is so that nobody is led into a 403. */
export const mayAs = (least: Role): boolean => RANK[user.value?.role ?? 'viewer'] >= RANK[least];

export const mayEdit = computed(() => mayAs('editor'));

/** Asks who is signed in. Rejects where the service could not say. */
export async function loadSession(): Promise<void> {
  onSignedOut(() => (user.value = null));
  try {
    user.value = (await fetchSession()).user;
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown;
    user.value = null;
  }
}

export async function signOut(): Promise<void> {
  await endSession().catch((thrown: unknown) => {
    // A session that has ended already is what was wanted.
    if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown;
  });
  user.value = null;
}
