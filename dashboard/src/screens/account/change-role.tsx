import { useSignal } from '@preact/signals';
import { ROLES, type Role } from '../../../../src/vocabulary/actor.ts';
import { changeRole } from '../../api/users.ts';
import type { AccountUserDetails } from '../../api/wire.ts';
import { user as self } from '../../state/session.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Select } from '../../ui/field.tsx';
import { ROLE_LABEL } from './roles.ts';

const OPTIONS = ROLES.map((role) => [role, ROLE_LABEL[role]] as const);

/** The role of a user as a select. Owners confirm the loss of their own role. */
export function ChangeRole({
  user,
  isLastOwner,
  onChanged,
}: {
  user: AccountUserDetails;
  isLastOwner: boolean;
  onChanged: () => void;
}) {
  const { id, email, role } = user;
  const lost = useSignal<Role | undefined>(undefined);
  async function save(next: Role): Promise<void> {
    await changeRole(id, next);
    if (self.value && self.value.id === id) self.value = { ...self.value, role: next };
    toast(`${email} is now ${ROLE_LABEL[next].toLowerCase()}`);
    onChanged();
  }
  function choose(next: Role): void {
    if (id === self.value?.id) return void (lost.value = next);
    save(next).catch((thrown: unknown) => {
      toastError(thrown, 'Role not changed');
      onChanged();
    });
  }
  return (
    <>
      <Select aria-label={`Role of ${email}`} value={role} options={OPTIONS} onChoose={choose} disabled={isLastOwner} />
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
