import type { CreatedInvitation } from '../../api/wire.ts';
import { fullTime } from '../../format.ts';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { ROLE_LABEL } from './roles.ts';

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
