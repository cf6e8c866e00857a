import { go } from '../router.ts';
import { signOut } from './session.ts';
import { toastError } from './toasts.ts';

/** Ends this session, and leads to the sign-in. */
export function leave(): void {
  signOut().then(
    () => go('/sign-in'),
    (thrown: unknown) => toastError(thrown, 'Signing out'),
  );
}
