import { type Signal, useSignal } from '@preact/signals';
import { type Role, ROLES, type WebsiteRoles } from '../../../../src/vocabulary/actor.ts';
import type { ApiError } from '../../api/api-error.ts';
import { addUser, createInvitation } from '../../api/users.ts';
import type { AccountUserDetails, CreatedInvitation } from '../../api/wire.ts';
import { toast } from '../../state/toasts.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { generatedPassword } from './generated-password.ts';
import { InvitationCreated } from './invitations-card.tsx';
import { ROLE_LABEL, ROLE_DESCRIPTIONS } from './roles.ts';
import { WebsiteRolesField } from './user-websites.tsx';

interface Draft {
  email: string;
  role: Role;
  way: 'invited' | 'generated' | 'own';
  password: string;
  /** of an invitation */
  websiteRoles: WebsiteRoles | null;
}

const START: Draft = { email: '', role: 'editor', way: 'invited', password: '', websiteRoles: null };
const WAYS = [
  ['invited', 'With an invitation link'],
  ['generated', 'With a generated password'],
  ['own', 'With a password that you choose'],
] as const;
const WAY_HINTS: Record<Draft['way'], string> = {
  invited: 'They choose their password. You send the link; it works once, for 7 days.',
  generated: 'Shown once after you add the user.',
  own: 'Share it with the user. No email is sent.',
};

/** Invites a user, or adds one at once. The link or a generated password is shown once. */
export function AddUser({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  const draft = useSignal(START);
  const added = useSignal<{ user: AccountUserDetails; password: string } | undefined>(undefined);
  const invitation = useSignal<CreatedInvitation | undefined>(undefined);
  const { email, role, way, password: own, websiteRoles } = draft.value;
  if (invitation.value) return <InvitationCreated invitation={invitation.value} onDone={onClose} />;
  if (added.value) return <GeneratedPassword {...added.value} onDone={onClose} />;
  async function send(): Promise<void> {
    if (way === 'invited') {
      const created = await createInvitation({
        email: email.trim(),
        role,
        website_roles: role === 'owner' ? null : websiteRoles,
      });
      onAdded();
      return void (invitation.value = created.invitation);
    }
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
      verb={way === 'invited' ? 'Create invitation' : 'Add user'}
      isReady={email.trim() !== '' && (way !== 'own' || own !== '')}
      onSend={send}
      onClose={onClose}
    >
      {(error) => <Fields draft={draft} error={error} />}
    </FormDialog>
  );
}

function Fields({ draft, error }: { draft: Signal<Draft>; error: ApiError | undefined }) {
  const { email, role, way, password, websiteRoles } = draft.value;
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
        error={error?.issueOf('email') ?? conflict}
      />
      <RoleChoice role={role} onChoose={(chosen) => change({ role: chosen })} />
      <SelectField
        label="First sign-in"
        value={way}
        options={WAYS}
        onChoose={(chosen) => change({ way: chosen })}
        hint={WAY_HINTS[way]}
      />
      {way === 'own' && (
        <NewPasswordField
          label="Initial password"
          hint="At least 10 characters. They can change it in their profile."
          value={password}
          onText={(text) => change({ password: text })}
          error={error?.issueOf('password')}
        />
      )}
      {way === 'invited' && role !== 'owner' && (
        <WebsiteRolesField roles={websiteRoles} onChange={(roles) => change({ websiteRoles: roles })} />
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
