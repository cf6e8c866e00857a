import { listUsers, removeUser, listInvitations } from '../../api/users.ts';
import type { AccountUserDetails } from '../../api/wire.ts';
import { query, closeQuery, setQuery } from '../../router.ts';
import { user as self } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ListCard } from '../../ui/list-card.tsx';
import { Time } from '../../ui/time.tsx';
import { AddUser } from './add-user.tsx';
import { ChangeRole } from './change-role.tsx';
import { ResetPassword } from './reset-password.tsx';
import { UserWebsites } from './user-websites.tsx';
import { InvitationsCard } from './invitations-card.tsx';

/** Users of the account; for owners only. */
export function UsersCard({ onChanged }: { onChanged: () => void }) {
  const users = useResource('users', (signal) => listUsers(signal));
  const invitations = useResource('invitations', (signal) => listInvitations(signal));
  const toRemove = query.value.get('remove');
  function changed(): void {
    users.reload();
    invitations.reload();
    onChanged();
  }
  return (
    <>
      <ListCard
        title="Users"
        aside={
          <Button size="small" icon="plus" keys="N" onClick={() => setQuery({ new: 'user' })}>
            Add user
          </Button>
        }
        resource={users}
      >
        {({ users: list }) => (
          <>
            <ul class="row-list user-list">
              {list.map((user) => (
                <UserRow
                  key={`${user.id} ${user.role}`}
                  user={user}
                  isLastOwner={isLastOwner(list, user)}
                  onChanged={changed}
                />
              ))}
            </ul>
            {list
              .filter((user) => String(user.id) === toRemove && !isLastOwner(list, user))
              .map((user) => (
                <RemoveUser key={user.id} user={user} onRemoved={changed} />
              ))}
          </>
        )}
      </ListCard>
      <InvitationsCard invitations={invitations} />
      {query.value.get('new') === 'user' && <AddUser onAdded={changed} onClose={() => closeQuery('new')} />}
    </>
  );
}

const isLastOwner = (list: AccountUserDetails[], { role }: AccountUserDetails): boolean =>
  role === 'owner' && list.filter((user) => user.role === 'owner').length === 1;

const isSelf = ({ id }: AccountUserDetails): boolean => id === self.value?.id;

function UserRow({
  user,
  isLastOwner: isRequired,
  onChanged,
}: {
  user: AccountUserDetails;
  isLastOwner: boolean;
  onChanged: () => void;
}) {
  const { id, email, role, created_at: since } = user;
  return (
    <li>
      <span class="break">
        {email} {isSelf(user) && <span class="badge">You</span>}
      </span>
      <span>
        <ChangeRole user={user} isLastOwner={isRequired} onChanged={onChanged} />
      </span>
      <span class="small muted">
        Added <Time at={since} />
        {role !== 'owner' && <UserWebsites user={user} onChanged={onChanged} />}
      </span>
      {isRequired ? (
        <span class="small muted user-stays">The last owner cannot be removed</span>
      ) : (
        <span class="actions">
          {!isSelf(user) && <ResetPassword user={user} />}
          <Button
            kind="danger"
            size="small"
            aria-label={`Remove ${email}`}
            onClick={() => setQuery({ remove: String(id) })}
          >
            Remove
          </Button>
        </span>
      )}
    </li>
  );
}

function RemoveUser({ user, onRemoved }: { user: AccountUserDetails; onRemoved: () => void }) {
  const { id, email } = user;
  return (
    <Confirm
      title={isSelf(user) ? 'Remove yourself?' : `Remove ${email}?`}
      verb="Remove user"
      onConfirm={async () => {
        await removeUser(id);
        if (isSelf(user)) return void (self.value = null);
        onRemoved();
        toast(`${email} removed`);
      }}
      onClose={() => closeQuery('remove')}
    >
      {isSelf(user)
        ? 'You are signed out everywhere immediately. Only another owner can add you again.'
        : 'They are signed out everywhere immediately. The API keys they created are revoked; their changes remain. To restore access, invite them again.'}
    </Confirm>
  );
}
