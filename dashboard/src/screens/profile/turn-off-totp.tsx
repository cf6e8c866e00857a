import { useSignal } from '@preact/signals';
import { turnOffTotp } from '../../api/totp.ts';
import { toast } from '../../state/toasts.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { UsernameField } from '../../ui/username-field.tsx';

/** Turns two-factor sign-in off with the password. */
export function TurnOffTotp({ onOff, onClose }: { onOff: () => void; onClose: () => void }) {
  const password = useSignal('');
  return (
    <FormDialog
      title="Turn off two-factor sign-in?"
      verb="Turn off"
      kind="danger"
      isReady={password.value !== ''}
      onSend={async () => {
        await turnOffTotp(password.value);
        onOff();
        onClose();
        toast('Two-factor sign-in is off');
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>Signing in then needs only your password. The recovery codes are deleted.</p>
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
