import { useSignal } from '@preact/signals';
import { confirmPassword } from '../api/session.ts';
import type { confirmation } from '../state/confirmation.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { FormError } from '../ui/form-error.tsx';
import { UsernameField } from '../ui/username-field.tsx';

/** Asks for the password before a sensitive change, and then lets the request continue. */
export function ConfirmPassword({ onSettled }: { onSettled: NonNullable<typeof confirmation.value> }) {
  const password = useSignal('');
  return (
    <FormDialog
      title="Confirm your password"
      verb="Confirm"
      isReady={password.value !== ''}
      onSend={async () => {
        await confirmPassword(password.value);
        onSettled(true);
      }}
      onClose={() => onSettled(false)}
    >
      {(error) => (
        <>
          <p>You signed in more than 30 minutes ago. This change needs your password.</p>
          <UsernameField />
          <TextField
            label="Your password"
            type="password"
            autocomplete="current-password"
            autofocus
            value={password.value}
            onText={(text) => (password.value = text)}
            error={error?.issueOf('password')}
          />
          <FormError error={error} fields={['password']} />
        </>
      )}
    </FormDialog>
  );
}
