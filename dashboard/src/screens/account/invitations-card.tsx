import { useSignal } from '@preact/signals';
import { createInvitation, withdrawInvitation } from '../../api/account.ts';
import type { CreatedInvitation, OpenInvitation } from '../../api/client/wire.ts';
import { dayOf, fullTime } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import type { Resource } from '../../state/resource/use-resource.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { Notice } from '../../ui/page/states.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Time } from '../../ui/text/time.tsx';
import { ROLE_LABEL, websitesText } from '../../ui/text/user-text.ts';

/** Invitations that can still be accepted. Absent without any. */
export function InvitationsCard({ invitations }: { invitations: Resource<OpenInvitation[]> }) {
  const withdrawn = useSignal<OpenInvitation | undefined>(undefined);
  const open = invitations.data.value ?? [];
  const renewed = useSignal<CreatedInvitation | undefined>(undefined);
  if (!invitations.error.value && open.length === 0 && !renewed.value) return null;
  async function renew({ email, role, website_roles }: OpenInvitation): Promise<void> {
    renewed.value = (await createInvitation({ email, role, website_roles })).invitation;
    invitations.reload();
  }
  return (
    <>
      <ResourceList
        list={invitations}
        title="Open invitations"
        headings={['Email', 'Role', 'Websites', 'Invited', '']}
        class="user-list"
        keyOf={({ id }) => id}
        cells={(invitation) => (
          <Cells
            invitation={invitation}
            onRenew={() => renew(invitation)}
            onWithdraw={() => (withdrawn.value = invitation)}
          />
        )}
        empty={null}
      />
      {withdrawn.value && (
        <Confirm
          title={`Withdraw the invitation of ${withdrawn.value.email}?`}
          verb="Withdraw"
          onConfirm={async () => {
            await withdrawInvitation(withdrawn.value?.id ?? '');
            invitations.reload();
            toast('Invitation withdrawn');
          }}
          onClose={() => (withdrawn.value = undefined)}
        >
          Its link stops working. You can invite them again with a new link.
        </Confirm>
      )}
      {renewed.value && <InvitationsCreated created={[renewed.value]} onDone={() => (renewed.value = undefined)} />}
    </>
  );
}

function Cells(props: { invitation: OpenInvitation; onRenew: () => Promise<void>; onWithdraw: () => void }) {
  const { invitation, onRenew, onWithdraw } = props;
  const { email, role, website_roles: roles, invited_by: by, created_at: at, expires_at: expires } = invitation;
  return (
    <>
      <span class="break">{email}</span>
      <span>{ROLE_LABEL[role]}</span>
      <span class="small muted">{roles ? websitesText(roles) : 'All websites'}</span>
      <span class="small muted break" title={`The link works until ${fullTime(expires)}`}>
        <Time at={at} />
        {by !== null && ` by ${by}`}, until {dayOf(expires)}
      </span>
      <span class="actions">
        <ActionButton size="small" aria-label={`New link for ${email}`} failure="No new link" onAct={onRenew}>
          New link
        </ActionButton>
        <Button kind="danger" size="small" aria-label={`Withdraw the invitation of ${email}`} onClick={onWithdraw}>
          Withdraw
        </Button>
      </span>
    </>
  );
}

/** The links of new invitations, shown once. `failed`: the emails that got none, with the reasons. */
export function InvitationsCreated({
  created,
  failed = [],
  onDone,
}: {
  created: readonly CreatedInvitation[];
  failed?: readonly { email: string; reason: string }[];
  onDone: () => void;
}) {
  const [first] = created;
  if (!first) return null;
  const isOne = created.length === 1;
  const role = ROLE_LABEL[first.role].toLowerCase();
  const isMailed = created.every(({ mailed }) => mailed);
  return (
    <OneTimeSecret
      title={isOne ? 'Invitation created' : `${created.length} invitations created`}
      label={isOne ? 'Invitation link' : 'Invitation links'}
      text={isOne ? first.url : created.map(({ email, url }) => `${email} ${url}`).join('\n')}
      {...(isOne ? {} : { rows: Math.min(created.length, 8), fileName: 'invitations.txt' })}
      onDone={onDone}
    >
      <p>
        {isMailed ? 'It was mailed to ' : 'Send it to '}
        {isOne ? <strong class="break">{first.email}</strong> : 'each person'}, who chooses a password and signs in as{' '}
        {role}. {isOne ? 'It works' : 'Each link works'} once, until {fullTime(first.expires_at)}, and is shown only
        once
        {isMailed ? '.' : ': the service did not mail it.'}
      </p>
      {failed.length > 0 && (
        <Notice>
          Not invited:
          {failed.map(({ email, reason }) => (
            <span key={email} class="break">
              {' '}
              <strong>{email}</strong>: {reason}.
            </span>
          ))}
        </Notice>
      )}
    </OneTimeSecret>
  );
}
