import { type Role, ROLES, type WebsiteRoles } from '../../../../src/vocabulary/actor.ts';
import { addUser, createInvitation } from '../../api/account.ts';
import { ApiError } from '../../api/client/api-error.ts';
import type { CreatedInvitation } from '../../api/client/wire.ts';
import { toast } from '../../state/toasts.ts';
import { Radios } from '../../ui/form/field.tsx';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { generatedPassword, NewPasswordField } from '../../ui/form/new-password-field.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { InvitationsCreated } from './invitations-card.tsx';
import { WebsiteRolesField } from './user-websites.tsx';
import { emailsOf, ROLE_DESCRIPTIONS, ROLE_LABEL } from '../../ui/text/user-text.ts';

interface Draft {
  email: string;
  role: Role;
  way: 'invited' | 'generated' | 'own';
  password: string;
  /** of an invitation */
  website_roles: WebsiteRoles | null;
}

const START: Draft = { email: '', role: 'editor', way: 'invited', password: '', website_roles: null };
const WAY_HINTS: Record<Draft['way'], string> = {
  invited: 'They choose their password. You send the link; it works once, for 7 days.',
  generated: 'Shown once after you add the user.',
  own: 'Share it with the user. No email is sent.',
};

const FIELDS: FieldTable<Draft> = [
  {
    name: 'email',
    label: 'Email',
    hint: ({ way }) =>
      way === 'invited' ? 'To invite several people, separate their emails with commas or spaces.' : undefined,
    inputMode: 'email',
    required: true,
    autofocus: true,
    autocomplete: 'off',
    placeholder: 'name@example.com',
    errorOf: ({ code, message }) => (code === 'CONFLICT' ? message : undefined),
  },
  {
    name: 'role',
    control: ({ value, onChange }) => (
      <Radios
        legend="Role"
        value={value}
        options={ROLES.map((role) => [role, ROLE_LABEL[role], ROLE_DESCRIPTIONS[role]] as const)}
        onChoose={onChange}
      />
    ),
  },
  {
    name: 'way',
    label: 'First sign-in',
    options: [
      ['invited', 'With an invitation link'],
      ['generated', 'With a generated password'],
      ['own', 'With a password that you choose'],
    ],
    hint: ({ way }) => WAY_HINTS[way],
  },
  {
    name: 'password',
    isShown: ({ way }) => way === 'own',
    control: (props) => (
      <NewPasswordField
        {...props}
        label="Initial password"
        hint="At least 10 characters. They can change it in their profile."
      />
    ),
  },
  {
    name: 'website_roles',
    isShown: ({ way, role }) => way === 'invited' && role !== 'owner',
    control: (props) => <WebsiteRolesField {...props} />,
  },
];

/** An account has at most this many open invitations. */
const MAX_INVITED = 100;

/** Invites each email. Throws if none can be invited, and before it invites anyone if there are too many. */
async function inviteAll(emails: readonly string[], body: Pick<Draft, 'role' | 'website_roles'>) {
  const created: CreatedInvitation[] = [];
  const failed: { email: string; reason: string }[] = [];
  if (emails.length > MAX_INVITED) {
    const details = `${emails.length} are listed; remove some, or invite them later`;
    throw new ApiError(422, 'TOO_MANY_ITEMS', `Invite at most ${MAX_INVITED} people at once`, { details });
  }
  for (const email of emails) {
    try {
      created.push((await createInvitation({ email, ...body })).invitation);
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      // The error of the form: a cancelled password, or the last one if none is invited.
      if (thrown.code === 'CONFIRM_PASSWORD' || failed.length + 1 === emails.length) throw thrown;
      failed.push({ email, reason: thrown.issueOf('email') ?? thrown.message });
    }
  }
  return { created, failed };
}

/** Invites users, or adds one at once. The link or a generated password is shown once. */
export function AddUser({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  return (
    <ResourceDialog
      title="Add user"
      verb={({ way }) => (way === 'invited' ? 'Create invitation' : 'Add user')}
      start={START}
      fields={FIELDS}
      isReady={({ way, password }) => way !== 'own' || password !== ''}
      onSend={async ({ email: typed, role, way, password: own, website_roles: roles }) => {
        if (way === 'invited') {
          const outcome = await inviteAll(emailsOf(typed), { role, website_roles: role === 'owner' ? null : roles });
          onAdded();
          return <InvitationsCreated {...outcome} onDone={onClose} />;
        }
        const email = typed.trim();
        const password = way === 'own' ? own : generatedPassword();
        const { user } = await addUser({ email, role, password });
        onAdded();
        if (way === 'generated') return <GeneratedPassword email={user.email} password={password} onDone={onClose} />;
        toast(`${user.email} can sign in now`);
      }}
      onClose={onClose}
    />
  );
}

function GeneratedPassword({ email, password, onDone }: { email: string; password: string; onDone: () => void }) {
  return (
    <OneTimeSecret title="User added" label="Password" text={password} onDone={onDone}>
      <p>
        Share it with <strong class="break">{email}</strong>, who signs in at{' '}
        <span class="mono break">{location.origin}</span> and can change it in their profile. It is shown only once.
      </p>
    </OneTimeSecret>
  );
}
