import { ROLES, type Role } from '../../../../src/vocabulary/actor.ts';
import { useSignal } from '@preact/signals';
import { changeRole, listUsers, removeUser, listInvitations, resetPassword } from '../../api/account.ts';
import type { AccountUserDetails, ApiKey, ListedUser, PasswordReset } from '../../api/client/wire.ts';
import { listKeys } from '../../api/keys.ts';
import { fullTime } from '../../format.ts';
import { query, closeQuery, setQuery } from '../../router.ts';
import { user as self } from '../../state/session.ts';
import { toast, toastError, undoWith } from '../../state/toasts.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Select } from '../../ui/form/field.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Time } from '../../ui/text/time.tsx';
import { isWorking } from '../keys/key-state.ts';
import { AddUser } from './add-user.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { UserWebsites } from './user-websites.tsx';
import { ROLE_LABEL } from '../../ui/text/user-text.ts';

/** From this number on, the list has a search. */
const MANY_USERS = 10;

export function UsersCard({ onChanged }: { onChanged: () => void }) {
  const users = useResource('users', async (signal) => (await listUsers(signal)).users);
  const invitations = useResource('invitations', async (signal) => (await listInvitations(signal)).invitations);
  const owners = (users.data.value ?? []).filter(({ role }) => role === 'owner');
  const isLastOwner = ({ role }: AccountUserDetails): boolean => role === 'owner' && owners.length === 1;
  const removed = users.data.value?.find((user) => String(user.id) === query.value.get('remove') && !isSelf(user));
  const typed = useSignal('');
  const isLong = (users.data.value?.length ?? 0) >= MANY_USERS;
  const text = isLong ? typed.value.trim().toLowerCase() : '';
  function changed(): void {
    users.reload();
    invitations.reload();
    onChanged();
  }
  return (
    <>
      <ResourceList
        list={users}
        title="Users"
        rows={(users.data.value ?? []).filter(({ email }) => email.toLowerCase().includes(text))}
        aside={
          <span class="filter-bar">
            {isLong && (
              <input
                class="input"
                type="search"
                aria-label="Search users"
                placeholder="Search users"
                value={typed.value}
                onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
              />
            )}
            <Button size="small" icon="plus" keys="N" onClick={() => setQuery({ new: 'user' })}>
              Add user
            </Button>
          </span>
        }
        headings={['Email', 'Role', 'Websites', 'Activity', '']}
        class="user-list"
        keyOf={({ id, role }) => `${id} ${role}`}
        cells={(user) => <Cells user={user} isLastOwner={isLastOwner(user)} onChanged={changed} />}
        empty={<p class="body muted">No user has this text in the email.</p>}
      />
      {removed && <RemoveUser user={removed} onChanged={changed} />}
      <InvitationsCard invitations={invitations} />
      {query.value.get('new') === 'user' && <AddUser onAdded={changed} onClose={() => closeQuery('new')} />}
    </>
  );
}

const isSelf = ({ id }: AccountUserDetails): boolean => id === self.value?.id;

interface UserProps {
  user: ListedUser;
  onChanged: () => void;
}

function Cells({ user, isLastOwner, onChanged }: UserProps & { isLastOwner: boolean }) {
  const { id, email, role, created_at: since, two_factor: hasTwoFactor, last_active_at: active } = user;
  return (
    <>
      <span class="break">
        {email} {isSelf(user) && <span class="badge">You</span>}
      </span>
      <span>
        <ChangeRole user={user} isLastOwner={isLastOwner} onChanged={onChanged} />
      </span>
      <span>
        {role === 'owner' ? (
          <span class="small muted">All websites</span>
        ) : (
          <UserWebsites user={user} onChanged={onChanged} />
        )}
      </span>
      <span class="small muted" title={`Added ${fullTime(since)}`}>
        {active === null ? 'Not signed in' : <>Active {<Time at={active} />}</>}
        {hasTwoFactor && ', two-factor'}
      </span>
      {isSelf(user) ? (
        <span class="small muted">{isLastOwner && 'The last owner cannot be removed'}</span>
      ) : (
        <span class="actions">
          <ResetPassword user={user} />
          <Button size="small" aria-label={`Remove ${email}`} onClick={() => setQuery({ remove: String(id) })}>
            Remove
          </Button>
        </span>
      )}
    </>
  );
}

/** The role of a user as a select. Owners confirm the loss of their own role. */
function ChangeRole({ user, isLastOwner, onChanged }: UserProps & { isLastOwner: boolean }) {
  const { id, email, role, website_roles: isLimited } = user;
  const lost = useSignal<Role | undefined>(undefined);
  // The service accepts no owner who is limited to websites.
  const offered = ROLES.filter((each) => each !== 'owner' || !isLimited);
  async function save(next: Role): Promise<void> {
    await changeRole(id, next);
    if (self.value && isSelf(user)) self.value = { ...self.value, role: next };
    const undo = undoWith(async () => {
      await changeRole(id, role);
      onChanged();
    });
    toast(`${email} is now ${ROLE_LABEL[next].toLowerCase()}`, isSelf(user) ? undefined : undo);
    onChanged();
  }
  function choose(next: Role): void {
    if (isSelf(user)) return void (lost.value = next);
    save(next).catch((thrown: unknown) => {
      toastError(thrown, 'Role not changed');
      onChanged();
    });
  }
  return (
    <>
      <Select
        aria-label={`Role of ${email}`}
        value={role}
        options={offered.map((each) => [each, ROLE_LABEL[each]] as const)}
        onChoose={choose}
        disabled={isLastOwner}
      />
      {lost.value && (
        <Confirm
          title="Change your own role?"
          verb="Change role"
          onConfirm={() => save(lost.value ?? role)}
          onClose={() => {
            lost.value = undefined;
            onChanged();
          }}
        >
          You lose access to users, API keys and webhooks immediately, and the API keys that you created are revoked.
          Only another owner can restore it.
        </Confirm>
      )}
    </>
  );
}

/** Creates a link with which a user sets a new password, and shows it once. */
function ResetPassword({ user: { id, email } }: Pick<UserProps, 'user'>) {
  const created = useSignal<PasswordReset | undefined>(undefined);
  const create = async (): Promise<void> => void (created.value = (await resetPassword(id)).password_reset);
  return (
    <>
      <ActionButton
        size="small"
        aria-label={`Reset password of ${email}`}
        failure="Could not create the link"
        onAct={create}
      >
        Reset password
      </ActionButton>
      {created.value && (
        <OneTimeSecret
          title="Reset link created"
          label="Reset link"
          text={created.value.url}
          onDone={() => (created.value = undefined)}
        >
          <p>
            {created.value.mailed ? 'It was mailed to ' : 'Send it to '}
            <strong class="break">{email}</strong>, who sets a new password with it. It works once, until{' '}
            {fullTime(created.value.expires_at)}, and is shown only once
            {created.value.mailed ? '.' : ': the service did not mail it.'} Until then the old password works.
          </p>
        </OneTimeSecret>
      )}
    </>
  );
}

/** The names of the keys that end with the user. */
const keysOf = ({ id }: AccountUserDetails, keys: readonly ApiKey[]): string[] =>
  keys.filter((key) => isWorking(key) && key.created_by?.id === String(id)).map(({ name }) => name);

function RemoveUser({ user, onChanged }: UserProps) {
  const { id, email } = user;
  const keys = useResource('keys', async (signal) => keysOf(user, (await listKeys(signal)).api_keys)).data.value;
  return (
    <Confirm
      title={`Remove ${email}?`}
      verb="Remove user"
      onConfirm={async () => {
        await removeUser(id);
        onChanged();
        toast(`${email} removed`);
      }}
      onClose={() => closeQuery('remove')}
    >
      They are signed out everywhere immediately; their changes remain. To restore access, invite them again.
      <p>
        {keys?.length === 0 ? (
          'They created no API key that still works.'
        ) : (
          <>
            The API keys they created are revoked: <strong class="break">{keys?.join(', ') ?? '…'}</strong>
          </>
        )}
      </p>
    </Confirm>
  );
}
