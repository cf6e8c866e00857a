import { user } from '../state/session.ts';

/** The email of the signed-in user, for password managers only. */
export function UsernameField() {
  return (
    <input
      class="unseen"
      type="email"
      name="email"
      autocomplete="username"
      readOnly
      tabIndex={-1}
      aria-hidden="true"
      value={user.value?.email ?? ''}
    />
  );
}
