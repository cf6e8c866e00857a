import { type Signal, useSignal } from '@preact/signals';
import type { ApiError } from '../../api/api-error.ts';
import { changePassword } from '../../api/profile.ts';
import { toast } from '../../state/toasts.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { UsernameField } from '../../ui/own-password.tsx';

/** Changes the user's password, which ends all other sessions. */
export function PasswordCard({ onChanged }: { onChanged: () => void }) {
  const current = useSignal('');
  const next = useSignal('');
  const isFilled = current.value !== '' && next.value !== '';
  const { error, isBusy, submit } = useSubmit(
    async () => {
      await changePassword({ current_password: current.value, new_password: next.value });
      current.value = next.value = '';
      toast('Password changed. Your other sessions have ended.');
      onChanged();
    },
    { isReady: isFilled },
  );
  return (
    <section class="card">
      <header>
        <h2>Password</h2>
      </header>
      <form class="body fields password-form" noValidate onSubmit={submit}>
        <Fields current={current} next={next} error={error.value} />
        <FormError error={error.value} fields={['current_password', 'new_password']} />
        <div class="actions">
          <Button kind="primary" type="submit" disabled={!isFilled || isBusy.value}>
            Change password
          </Button>
          <span class="small muted">You stay signed in here. All other sessions end.</span>
        </div>
      </form>
    </section>
  );
}

function Fields({
  current,
  next,
  error,
}: {
  current: Signal<string>;
  next: Signal<string>;
  error: ApiError | undefined;
}) {
  return (
    <>
      <UsernameField />
      <TextField
        label="Current password"
        type="password"
        autocomplete="current-password"
        value={current.value}
        onText={(text) => (current.value = text)}
        error={error?.issueOf('current_password')}
      />
      <NewPasswordField
        value={next.value}
        onText={(text) => (next.value = text)}
        error={error?.issueOf('new_password')}
      />
    </>
  );
}
