import { type Signal, useSignal } from '@preact/signals';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { changePassword } from '../../api/profile.ts';
import { user } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-error.tsx';

/** A new password for oneself; it ends every other session. */
export function PasswordCard({ onChanged }: { onChanged: () => void }) {
  const current = useSignal('');
  const next = useSignal('');
  const error = useSignal<ApiError | undefined>(undefined);
  const isBusy = useSignal(false);
  const isReady = current.value !== '' && next.value !== '' && !isBusy.value;
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (!isReady) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      await changePassword({ current_password: current.value, new_password: next.value });
      current.value = next.value = '';
      toast('Password changed. Your other sessions have ended.');
      onChanged();
    } catch (thrown) {
      error.value = asApiError(thrown);
    }
    isBusy.value = false;
  }
  return (
    <section class="card">
      <header>
        <h2>Password</h2>
      </header>
      <form class="body fields password-form" noValidate onSubmit={(event) => void submit(event)}>
        <Fields current={current} next={next} error={error.value} />
        <FormError error={error.value} fields={['current_password', 'new_password']} />
        <div class="actions">
          <Button kind="primary" type="submit" disabled={!isReady}>
            Change password
          </Button>
          <span class="small muted">You stay signed in here, and are signed out everywhere else.</span>
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
      {/* Tells a password manager whose password it is to keep. */}
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
      <TextField
        label="Current password"
        type="password"
        autocomplete="current-password"
        value={current.value}
        onText={(text) => (current.value = text)}
        wrong={error?.issueOf('current_password')}
      />
      <TextField
        label="New password"
        type="password"
        autocomplete="new-password"
        value={next.value}
        onText={(text) => (next.value = text)}
        hint="At least 10 characters; a sentence does well."
        wrong={error?.issueOf('new_password')}
      />
    </>
  );
}
