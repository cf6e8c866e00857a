import { type Signal, useSignal } from '@preact/signals';
import { type Role, ROLES } from '../../../../src/vocabulary/actor.ts';
import type { ApiError } from '../../api/api-error.ts';
import { addUser } from '../../api/users.ts';
import type { UserAnswer } from '../../api/wire.ts';
import { toast } from '../../state/toasts.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { generatedPassword } from './generated-password.ts';
import { ROLE_LABEL, ROLE_WORDS } from './roles.ts';

interface Draft {
  email: string;
  role: Role;
  way: 'generated' | 'own';
  password: string;
}

const START: Draft = { email: '', role: 'editor', way: 'generated', password: '' };
const WAYS = [
  ['generated', 'Generate one'],
  ['own', 'I choose one'],
] as const;

/** Asks who is to sign in and as what. A password that was generated is shown once, to be passed on. */
export function AddUser({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  const draft = useSignal(START);
  const added = useSignal<{ user: UserAnswer; password: string } | undefined>(undefined);
  const { email, role, way, password: own } = draft.value;
  if (added.value) return <TheirPassword {...added.value} onDone={onClose} />;
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
      title="Add a user"
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
  const taken = error?.code === 'CONFLICT' ? error.message : undefined;
  return (
    <>
      <TextField
        label="E-mail"
        type="email"
        autofocus
        autocomplete="off"
        value={email}
        onText={(text) => change({ email: text })}
        placeholder="name@example.com"
        hint="Nothing is sent there: you pass on the password yourself."
        wrong={error?.issueOf('email') ?? taken}
      />
      <RoleChoice role={role} onChoose={(chosen) => change({ role: chosen })} />
      <SelectField
        label="Password"
        value={way}
        options={WAYS}
        onChoose={(chosen) => change({ way: chosen })}
        hint={way === 'generated' ? 'You see it once, to pass it on.' : undefined}
      />
      {way === 'own' && (
        <TextField
          label="Their first password"
          type="password"
          autocomplete="new-password"
          value={password}
          onText={(text) => change({ password: text })}
          hint="At least 10 characters. They can change it in their profile."
          wrong={error?.issueOf('password')}
        />
      )}
      {taken === undefined && <FormError error={error} fields={['email', 'role', 'password']} />}
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
            {ROLE_LABEL[each]} <span class="muted small">{ROLE_WORDS[each]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function TheirPassword({
  user,
  password,
  onDone,
}: {
  user: UserAnswer;
  password: string;
  onDone: () => void;
}) {
  return (
    <OneTimeSecret title="User added" label="Password" text={password} onDone={onDone}>
      <p>
        Pass it on to <strong class="break">{user.email}</strong>, who signs in at{' '}
        <span class="mono break">{location.origin}</span> and can change it in the profile. It is shown this
        once.
      </p>
    </OneTimeSecret>
  );
}
