import { type Signal, useSignal } from '@preact/signals';
import { type Role, ROLES } from '../../../../src/vocabulary/actor.ts';
import type { ApiError } from '../../api/api-error.ts';
import { addUser } from '../../api/users.ts';
import type { AccountUserDetails } from '../../api/wire.ts';
import { toast } from '../../state/toasts.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { generatedPassword } from './generated-password.ts';
import { ROLE_LABEL, ROLE_DESCRIPTIONS } from './roles.ts';

interface Draft {
  email: string;
  role: Role;
  way: 'generated' | 'own';
  password: string;
}

const START: Draft = { email: '', role: 'editor', way: 'generated', password: '' };
const WAYS = [
  ['generated', 'Generate password'],
  ['own', 'Choose password'],
] as const;

/** Adds a user. A generated password is shown once. */
export function AddUser({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  const draft = useSignal(START);
  const added = useSignal<{ user: AccountUserDetails; password: string } | undefined>(undefined);
  const { email, role, way, password: own } = draft.value;
  if (added.value) return <GeneratedPassword {...added.value} onDone={onClose} />;
  async function send(): Promise<void> {
    const password = way === 'own' ? own : generatedPassword();
    const { user } = await addUser({ email: email.trim(), role, password });
    onAdded();
    if (way === 'generated') return void (added.value = { user, password });
    onClose();
    toast(`${user.email} can sign in now`);
  }
  return (
    <FormDialog
      title="Add user"
      verb="Add user"
      isReady={email.trim() !== '' && (way === 'generated' || own !== '')}
      onSend={send}
      onClose={onClose}
    >
      {(error) => <Fields draft={draft} error={error} />}
    </FormDialog>
  );
}

function Fields({ draft, error }: { draft: Signal<Draft>; error: ApiError | undefined }) {
  const { email, role, way, password } = draft.value;
  const change = (changes: Partial<Draft>): void => void (draft.value = { ...draft.value, ...changes });
  const conflict = error?.code === 'CONFLICT' ? error.message : undefined;
  return (
    <>
      <TextField
        label="Email"
        type="email"
        autofocus
        autocomplete="off"
        value={email}
        onText={(text) => change({ email: text })}
        placeholder="name@example.com"
        hint="No email is sent: share the password yourself."
        error={error?.issueOf('email') ?? conflict}
      />
      <RoleChoice role={role} onChoose={(chosen) => change({ role: chosen })} />
      <SelectField
        label="Password"
        value={way}
        options={WAYS}
        onChoose={(chosen) => change({ way: chosen })}
        hint={way === 'generated' ? 'Shown once after you add the user.' : undefined}
      />
      {way === 'own' && (
        <TextField
          label="Initial password"
          type="password"
          autocomplete="new-password"
          value={password}
          onText={(text) => change({ password: text })}
          hint="At least 10 characters. They can change it in their profile."
          error={error?.issueOf('password')}
        />
      )}
      {conflict === undefined && <FormError error={error} fields={['email', 'role', 'password']} />}
    </>
  );
}

function RoleChoice({ role, onChoose }: { role: Role; onChoose: (role: Role) => void }) {
  return (
    <fieldset class="field role-choice">
      <legend>Role</legend>
      {ROLES.map((each) => (
        <label key={each} class="check">
          <input type="radio" name="role" checked={each === role} onChange={() => onChoose(each)} />
          <span>
            {ROLE_LABEL[each]} <span class="muted small">{ROLE_DESCRIPTIONS[each]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function GeneratedPassword({
  user,
  password,
  onDone,
}: {
  user: AccountUserDetails;
  password: string;
  onDone: () => void;
}) {
  return (
    <OneTimeSecret title="User added" label="Password" text={password} onDone={onDone}>
      <p>
        Share it with <strong class="break">{user.email}</strong>, who signs in at{' '}
        <span class="mono break">{location.origin}</span> and can change it in their profile. It is shown only once.
      </p>
    </OneTimeSecret>
  );
}
