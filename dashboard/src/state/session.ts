import { computed, effect, signal } from '@preact/signals';
import type { Role } from '../../../src/vocabulary/actor.ts';
import { isPlan, type PlanFeature, PLANS } from '../../../src/vocabulary/plan.ts';
import { ApiError } from '../api/client/api-error.ts';
import { endCurrentSession, findSession } from '../api/session.ts';
import type { User } from '../api/client/wire.ts';
import { go } from '../router.ts';
import { readStored, writeStored } from './browser.ts';
import { toastError } from './toasts.ts';
import { currentWebsite } from './websites.ts';

/** Settings of this installation. The service writes them into the page. */
export const installation = {
  takesSignUps: false,
  /** runs the embedded database, so the data folder contains the first password */
  isEmbedded: false,
  sendsMail: false,
  /** of PUBLIC_URL: the value of the DNS record of a host */
  host: location.hostname,
  /** the request of the page had a session cookie, which may have expired */
  hasSession: false,
  ...(JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=detour]')?.content ?? '{}') as object),
};

/** The signed-in user; null: signed out; undefined: not loaded yet. */
export const user = signal<User | null | undefined>(undefined);

const SIGNED_IN = 'detour.signed-in';

/** The user did not sign out: the session expired, or was ended elsewhere. */
export const hasEnded = signal(false);

effect(() => {
  if (user.value) writeStored(SIGNED_IN, 'yes');
});

/** After signing out, or the deletion of the account. */
export function leaveSession(): void {
  writeStored(SIGNED_IN, undefined);
  hasEnded.value = false;
  user.value = null;
}

const RANK: Record<Role, number> = { viewer: 0, editor: 1, owner: 2 };

/** The role at a website if the user is limited to websites, otherwise that in the account. */
function roleAt(websiteId: number | undefined): Role {
  const { role = 'viewer', website_roles: roles } = user.value ?? {};
  return roles ? (roles[websiteId ?? ''] ?? 'viewer') : role;
}

const roleHere = computed<Role>(() => roleAt(currentWebsite.value?.id));

/** The role in the account; of a user who is limited to websites, the highest that holds at one of them. */
export const highestRole = computed<Role>(() => {
  const { role = 'viewer', website_roles: roles } = user.value ?? {};
  return roles ? (Object.values(roles).includes('editor') ? 'editor' : 'viewer') : role;
});

/** True if the user's role is `role` or higher. Only hides actions: the service enforces roles. */
export const mayAs = (role: Role): boolean => RANK[roleHere.value] >= RANK[role];

/** On screens that show several websites. */
export const mayEditAt = (websiteId: number): boolean => RANK[roleAt(websiteId)] >= RANK.editor;

export const mayEdit = computed(() => mayAs('editor'));

export const mayCreateWebsites = computed(() => mayEdit.value && !user.value?.website_roles);

/** True if the account's plan includes the feature. Only hides actions: the service enforces plans. */
export function planHas(feature: PlanFeature): boolean {
  const plan = user.value?.plan ?? '';
  return isPlan(plan) && PLANS[plan][feature];
}

/** Loads the signed-in user, without a request if there is no session cookie. Rejects if the request fails for another reason than a missing session. */
export async function loadSession(): Promise<void> {
  hasEnded.value = readStored(SIGNED_IN) !== undefined;
  if (!installation.hasSession) return void (user.value = null);
  try {
    user.value = (await findSession()).user;
  } catch (thrown) {
    if (!isSignedOut(thrown)) throw thrown;
    user.value = null;
  }
}

/** Ends this session and opens the sign-in page. */
export async function signOut(): Promise<void> {
  try {
    await endCurrentSession();
  } catch (thrown) {
    // An expired session is as good as an ended one.
    if (!isSignedOut(thrown)) return toastError(thrown, 'Could not sign out');
  }
  leaveSession();
  go('/sign-in');
}

const isSignedOut = (thrown: unknown): boolean => thrown instanceof ApiError && thrown.status === 401;
