import { useSignal } from '@preact/signals';
import { changePassword } from '../../api/session.ts';
import { toast } from '../../state/toasts.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { type FieldTable, FormFields, isFilled } from '../../ui/form/form-fields.tsx';
import { NewPasswordField } from '../../ui/form/new-password-field.tsx';
import { UsernameField } from '../../ui/form/own-password.tsx';

const START = { current_password: '', new_password: '' };

const FIELDS: FieldTable<typeof START> = [
  {
    name: 'current_password',
    label: 'Current password',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
  },
  { name: 'new_password', control: (props) => <NewPasswordField {...props} /> },
];

/** Changes the user's password, which ends all other sessions. */
export function PasswordCard({ onChanged }: { onChanged: () => void }) {
  const draft = useSignal(START);
  const isReady = isFilled(FIELDS, draft.value) && draft.value.new_password !== '';
  const { error, isBusy, submit } = useSubmit(
    async () => {
      await changePassword(draft.value);
      draft.value = START;
      toast('Password changed. Your other sessions have ended.');
      onChanged();
    },
    { isReady },
  );
  return (
    <section class="card">
      <header>
        <h2>Password</h2>
      </header>
      <form class="body fields password-form" noValidate onSubmit={submit}>
        <UsernameField />
        <FormFields
          fields={FIELDS}
          draft={draft.value}
          onChange={(changes) => (draft.value = { ...draft.value, ...changes })}
          error={error.value}
        />
        <div class="actions">
          <Button kind="primary" type="submit" disabled={!isReady} isBusy={isBusy.value}>
            Change password
          </Button>
          <span class="small muted">You stay signed in here. All other sessions end.</span>
        </div>
      </form>
    </section>
  );
}
