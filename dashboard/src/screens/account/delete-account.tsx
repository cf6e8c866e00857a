import { useSignal } from '@preact/signals';
import { deleteAccount } from '../../api/session.ts';
import type { AccountDetails } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { go } from '../../router.ts';
import { installation, leaveSession, user } from '../../state/session.ts';
import { DangerZone } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { OwnPassword } from '../../ui/form/own-password.tsx';
import { useEffect } from 'preact/hooks';
import { LinkButton } from '../../ui/button.tsx';
import { EntryPage } from '../sign-in/entry-page.tsx';

/** Deletes the account, with a dialog that lists what is lost; for owners. */
export function DeleteAccount({ usage }: Pick<AccountDetails, 'usage'>) {
  return (
    <DangerZone
      title="Delete this account"
      text="All websites stop redirecting, and all users are signed out."
      verb="Delete account"
    >
      {(close) => <Ask usage={usage} onClose={close} />}
    </DangerZone>
  );
}

function Ask({ usage, onClose }: Pick<AccountDetails, 'usage'> & { onClose: () => void }) {
  const email = user.value?.email ?? '';
  const typed = useSignal('');
  const password = useSignal('');
  async function send(): Promise<void> {
    await deleteAccount(password.value);
    leaveSession();
    go('/account/deleted', { replace: true });
  }
  return (
    <FormDialog
      isDisposable
      title="Delete this account?"
      verb="Delete account"
      kind="danger"
      isReady={typed.value.trim() === email && password.value !== ''}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Losses usage={usage} />
          <p>
            This cannot be undone. To keep a copy, ask the operator of this service to run this first:{' '}
            <code class="break">npm run admin -- account export --email {email} --out FOLDER</code>
          </p>
          <TextField
            label={`Type ${email} to confirm`}
            isCode
            value={typed.value}
            onText={(text) => (typed.value = text)}
          />
          <OwnPassword password={password} error={error} />
        </>
      )}
    </FormDialog>
  );
}

/** Names everything that the deletion takes, with the counts of the account. */
function Losses({ usage }: Pick<AccountDetails, 'usage'>) {
  return (
    <div>
      <p>You lose, for all users of the account:</p>
      <ul class="losses">
        <li>{counted(usage.websites, 'website')} with their hosts, which stop serving immediately</li>
        <li>{counted(usage.redirects, 'redirect')}, their deployments and their activity</li>
        <li>all hits, visitors and unmatched paths</li>
        <li>
          {counted(usage.users, 'user')}, {counted(usage.api_keys, 'API key')} and all webhooks
        </li>
        <li>the audit log</li>
      </ul>
    </div>
  );
}

/** Confirms that the account is deleted. Signed-in users, whose account exists, are sent to their start page. */
export function AccountDeletedScreen() {
  const isSignedIn = Boolean(user.value);
  useEffect(() => {
    if (isSignedIn) go('/', { replace: true });
  }, [isSignedIn]);
  if (isSignedIn) return null;
  return (
    <EntryPage
      title="Your account is deleted"
      tab="Account deleted"
      lead="Its websites no longer redirect, and its users and API keys no longer have access."
    >
      <p class="sign-in-other">The remaining data is being deleted in the background.</p>
      <LinkButton href="/sign-in">
        {installation.takesSignUps ? 'Sign in or create an account' : 'Go to sign-in'}
      </LinkButton>
    </EntryPage>
  );
}
