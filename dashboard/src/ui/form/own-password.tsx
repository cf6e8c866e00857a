import type { Signal } from '@preact/signals';
import type { ApiError } from '../../api/client/api-error.ts';
import { user } from '../../state/session.ts';
import { TextField } from './field.tsx';
import { FormError } from '../page/states.tsx';

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

/** Asks for the user's password, which an action needs again, and shows the error of the action. */
export function OwnPassword({
  password,
  error,
  autofocus,
}: {
  password: Signal<string>;
  error: ApiError | undefined;
  autofocus?: boolean;
}) {
  return (
    <>
      <UsernameField />
      <TextField
        label="Your password"
        type="password"
        autocomplete="current-password"
        autofocus={autofocus ?? false}
        value={password.value}
        onText={(text) => (password.value = text)}
        error={error?.issueOf('password')}
      />
      <FormError error={error} fields={['password']} />
    </>
  );
}
