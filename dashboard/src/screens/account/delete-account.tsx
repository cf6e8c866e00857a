import { useEffect } from 'preact/hooks';
import { exportUrl } from '../../api/redirects.ts';
import { deleteAccount } from '../../api/session.ts';
import type { AccountDetails } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { go } from '../../router.ts';
import { installation, leaveSession, planHas, user } from '../../state/session.ts';
import { websites } from '../../state/websites.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Confirm, DangerZone } from '../../ui/confirm.tsx';
import { EntryPage } from '../sign-in/entry-page.tsx';

/** Deletes the account, with a dialog that names everything that is lost; for owners. */
export function DeleteAccount({ usage }: Pick<AccountDetails, 'usage'>) {
  const email = user.value?.email ?? '';
  async function confirm(password: string): Promise<void> {
    await deleteAccount(password);
    leaveSession();
    go('/account/deleted', { replace: true });
  }
  return (
    <DangerZone
      title="Delete this account"
      text="All websites stop redirecting, and all users are signed out."
      verb="Delete account"
    >
      {(close) => (
        <Confirm
          title="Delete this account?"
          verb="Delete account"
          typed={email}
          asksPassword
          onConfirm={confirm}
          onClose={close}
        >
          <p>You lose, for all users of the account:</p>
          <ul class="stack gap-1 losses">
            <li>{counted(usage.websites, 'website')} with their hosts, which stop serving immediately</li>
            <li>{counted(usage.redirects, 'redirect')}, their deployments and their activity</li>
            <li>all hits, visitors and unmatched paths</li>
            <li>all moves, lists of URLs, live checks and expectations</li>
            <li>
              {counted(usage.users, 'user')}, {counted(usage.api_keys, 'API key')}, all webhooks and all notices
            </li>
            <li>the audit log</li>
          </ul>
          {planHas('apiAccess') && <Copies />}
          <p>
            This cannot be undone. To keep a copy of everything, ask the operator of this service to run this first:{' '}
            <code class="break">npm run admin -- account export --email {email} --out FOLDER</code>
          </p>
        </Confirm>
      )}
    </DangerZone>
  );
}

/** Downloads of the redirects of each website, which another account or tool can import. */
const Copies = () => (
  <>
    <p>Download the redirects first, as CSV files that can be imported again:</p>
    <ul class="stack gap-1 losses">
      {websites.value?.map(({ id, name }) => (
        <li key={id}>
          <a href={exportUrl({ website_id: id, format: 'csv' })} download>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </>
);

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
