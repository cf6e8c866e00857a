import { useSignal } from '@preact/signals';
import { confirmPassword } from '../api/session.ts';
import type { Settle } from '../state/prompts.ts';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { OwnPassword } from '../ui/form/own-password.tsx';

/** Asks for the password before a sensitive change, and then lets the request continue. */
export function ConfirmPassword({ onSettled }: { onSettled: Settle }) {
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
          <OwnPassword password={password} error={error} autofocus />
        </>
      )}
    </FormDialog>
  );
}
