import { useSignal } from '@preact/signals';
import { listAudit } from '../../api/changes.ts';
import { createInvitation, withdrawInvitation } from '../../api/account.ts';
import type { CreatedInvitation, OpenInvitation } from '../../api/client/wire.ts';
import { dayOf, fullTime } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { type Resource, useResource } from '../../state/resource/use-resource.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Time } from '../../ui/text/time.tsx';
import { ROLE_LABEL, websitesText } from '../../ui/text/user-text.ts';

/** An account has at most this many. */
const MAX_INVITATIONS = 100;

/** Inviters by the invited email, from the newest entries of the audit log. Sends no request without invitations. */
async function loadInviters(invitations: readonly OpenInvitation[], signal: AbortSignal): Promise<Map<string, string>> {
  if (invitations.length === 0) return new Map();
  const { entries } = await listAudit({ action: 'invitation.created', limit: MAX_INVITATIONS }, signal);
  return new Map(entries.toReversed().map(({ target, actor }) => [target ?? '', actor.name]));
}

/** Invitations that can still be accepted. Absent without any. */
export function InvitationsCard({ invitations }: { invitations: Resource<OpenInvitation[]> }) {
  const withdrawn = useSignal<OpenInvitation | undefined>(undefined);
  const open = invitations.data.value ?? [];
  const inviters = useResource(`inviters:${open.map(({ id }) => id).join()}`, (signal) => loadInviters(open, signal));
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
            by={inviters.data.value?.get(invitation.email)}
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
      {renewed.value && <InvitationCreated invitation={renewed.value} onDone={() => (renewed.value = undefined)} />}
    </>
  );
}

function Cells(props: {
  invitation: OpenInvitation;
  /** undefined if the audit log does not have it */
  by: string | undefined;
  onRenew: () => Promise<void>;
  onWithdraw: () => void;
}) {
  const { invitation, by, onRenew, onWithdraw } = props;
  const { email, role, website_roles: roles, created_at: at, expires_at: expires } = invitation;
  return (
    <>
      <span class="break">{email}</span>
      <span>{ROLE_LABEL[role]}</span>
      <span class="small muted">{roles ? websitesText(roles) : 'All websites'}</span>
      <span class="small muted break" title={`The link works until ${fullTime(expires)}`}>
        <Time at={at} />
        {by !== undefined && ` by ${by}`}, until {dayOf(expires)}
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

/** The link of a new invitation, shown once. */
export function InvitationCreated(props: { invitation: CreatedInvitation; onDone: () => void }) {
  const { email, role, url, expires_at: expires, mailed } = props.invitation;
  return (
    <OneTimeSecret title="Invitation created" label="Invitation link" text={url} onDone={props.onDone}>
      <p>
        {mailed ? 'It was mailed to ' : 'Send it to '}
        <strong class="break">{email}</strong>, who chooses a password and signs in as {ROLE_LABEL[role].toLowerCase()}.
        It works once, until {fullTime(expires)}, and is shown only once
        {mailed ? '.' : ': the service did not mail it.'}
      </p>
    </OneTimeSecret>
  );
}
