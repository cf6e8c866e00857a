import { useSignal } from '@preact/signals';
import { resetPassword } from '../../api/users.ts';
import type { AccountUserDetails, PasswordReset } from '../../api/wire.ts';
import { fullTime } from '../../format.ts';
import { toastError } from '../../state/toasts.ts';
import { Button } from '../../ui/button.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';

/** Creates a link with which a user sets a new password, and shows it once. */
export function ResetPassword({ user: { id, email } }: { user: AccountUserDetails }) {
  const created = useSignal<PasswordReset | undefined>(undefined);
  const isBusy = useSignal(false);
  async function create(): Promise<void> {
    isBusy.value = true;
    try {
      created.value = (await resetPassword(id)).password_reset;
    } catch (thrown) {
      toastError(thrown, 'Could not create the link');
    }
    isBusy.value = false;
  }
  return (
    <>
      <Button
        size="small"
        aria-label={`Reset password of ${email}`}
        disabled={isBusy.value}
        onClick={() => void create()}
      >
        Reset password
      </Button>
      {created.value && (
        <OneTimeSecret
          title="Reset link created"
          label="Reset link"
          text={created.value.url}
          onDone={() => (created.value = undefined)}
        >
          <p>
            Send it to <strong class="break">{email}</strong>, who sets a new password with it. It works once, until{' '}
            {fullTime(created.value.expires_at)}, and is shown only once: the service sends no email. Until then the old
            password works.
          </p>
        </OneTimeSecret>
      )}
    </>
  );
}
