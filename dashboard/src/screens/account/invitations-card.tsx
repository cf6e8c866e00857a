import { useSignal } from '@preact/signals';
import { createInvitation, withdrawInvitation } from '../../api/users.ts';
import type { CreatedInvitation, OpenInvitation } from '../../api/wire.ts';
import { dayOf, fullTime } from '../../format.ts';
import { toast, toastError } from '../../state/toasts.ts';
import type { Resource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ListCard } from '../../ui/list-card.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { ROLE_LABEL, websitesText } from './roles.ts';

/** Invitations that can still be accepted. Absent without any. */
export function InvitationsCard({ invitations }: { invitations: Resource<{ invitations: OpenInvitation[] }> }) {
  const withdrawn = useSignal<OpenInvitation | undefined>(undefined);
  const renewed = useSignal<CreatedInvitation | undefined>(undefined);
  if (!invitations.error.value && !invitations.data.value?.invitations.length && !renewed.value) return null;
  async function renew({ email, role, website_roles }: OpenInvitation): Promise<void> {
    try {
      renewed.value = (await createInvitation({ email, role, website_roles })).invitation;
      invitations.reload();
    } catch (thrown) {
      toastError(thrown, 'No new link');
    }
  }
  return (
    <>
      <ListCard title="Open invitations" aside={null} resource={invitations}>
        {({ invitations: list }) => (
          <ul class="row-list user-list invitation-list">
            {list.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                invitation={invitation}
                onRenew={() => renew(invitation)}
                onWithdraw={() => (withdrawn.value = invitation)}
              />
            ))}
          </ul>
        )}
      </ListCard>
      {withdrawn.value && (
        <Withdraw
          invitation={withdrawn.value}
          onWithdrawn={invitations.reload}
          onClose={() => (withdrawn.value = undefined)}
        />
      )}
      {renewed.value && <InvitationCreated invitation={renewed.value} onDone={() => (renewed.value = undefined)} />}
    </>
  );
}

function InvitationRow({
  invitation: { email, role, website_roles: roles, expires_at: expires },
  onRenew,
  onWithdraw,
}: {
  invitation: OpenInvitation;
  onRenew: () => Promise<void>;
  onWithdraw: () => void;
}) {
  const isBusy = useSignal(false);
  async function renew(): Promise<void> {
    isBusy.value = true;
    await onRenew();
    isBusy.value = false;
  }
  return (
    <li>
      <span class="break">{email}</span>
      <span>{roles ? websitesText(roles) : ROLE_LABEL[role]}</span>
      <span class="small muted" title={fullTime(expires)}>
        Link works until {dayOf(expires)}
      </span>
      <span class="actions">
        <Button size="small" disabled={isBusy.value} aria-label={`New link for ${email}`} onClick={() => void renew()}>
          New link
        </Button>
        <Button kind="danger" size="small" aria-label={`Withdraw the invitation of ${email}`} onClick={onWithdraw}>
          Withdraw
        </Button>
      </span>
    </li>
  );
}

function Withdraw({
  invitation: { id, email },
  onWithdrawn,
  onClose,
}: {
  invitation: OpenInvitation;
  onWithdrawn: () => void;
  onClose: () => void;
}) {
  return (
    <Confirm
      title={`Withdraw the invitation of ${email}?`}
      verb="Withdraw"
      onConfirm={async () => {
        await withdrawInvitation(id);
        onWithdrawn();
        toast('Invitation withdrawn');
      }}
      onClose={onClose}
    >
      Its link stops working. You can invite them again with a new link.
    </Confirm>
  );
}

/** The link of a new invitation, shown once. */
export function InvitationCreated({
  invitation: { email, role, url, expires_at: expires },
  onDone,
}: {
  invitation: CreatedInvitation;
  onDone: () => void;
}) {
  return (
    <OneTimeSecret title="Invitation created" label="Invitation link" text={url} onDone={onDone}>
      <p>
        Send it to <strong class="break">{email}</strong>, who chooses a password and signs in as{' '}
        {ROLE_LABEL[role].toLowerCase()}. It works once, until {fullTime(expires)}, and is shown only once: the service
        sends no email.
      </p>
    </OneTimeSecret>
  );
}
