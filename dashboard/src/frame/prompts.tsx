/** Questions before a change: the password again, and whether to discard what is not saved. */
import { useSignal } from '@preact/signals';
import { confirmPassword } from '../api/session.ts';
import type { Settle } from '../state/prompts.ts';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { OwnPassword } from '../ui/form/own-password.tsx';
import { discardPrompt } from '../state/unsaved.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

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

/** Asks before unsaved changes are lost. Enter and Escape keep them. */
export function DiscardChanges({ onDiscard }: { onDiscard: () => void }) {
  const keep = (): void => void (discardPrompt.value = undefined);
  function discard(): void {
    keep();
    // After this dialog is gone, because nothing else can take the focus before.
    setTimeout(onDiscard);
  }
  return (
    <Dialog title="Discard changes?" onClose={keep}>
      <div class="dialog-body">
        <p>Your changes are not saved.</p>
      </div>
      <footer>
        <Button onClick={keep}>Keep editing</Button>
        <Button kind="danger" onClick={discard}>
          Discard
        </Button>
      </footer>
    </Dialog>
  );
}
