import { useSignal } from '@preact/signals';
import { turnOffTotp } from '../../api/profile.ts';
import { toast } from '../../state/toasts.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { OwnPassword } from '../../ui/own-password.tsx';

/** Turns two-factor sign-in off with the password. */
export function TurnOffTotp({ onOff, onClose }: { onOff: () => void; onClose: () => void }) {
  const password = useSignal('');
  return (
    <FormDialog
      isDisposable
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
          <OwnPassword password={password} error={error} autofocus />
        </>
      )}
    </FormDialog>
  );
}
