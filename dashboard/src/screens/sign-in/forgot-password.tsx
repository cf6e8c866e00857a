import { type Signal, useSignal } from '@preact/signals';
import { requestPassword } from '../../api/session.ts';
import { installation } from '../../state/session.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { EmailField, SignInError } from './credentials.tsx';
import { EntryPage } from './entry-page.tsx';

/** Requests a mail with a link for a new password. The answer is the same whether or not a user has the email. */
export function ForgotPassword({ email, onBack }: { email: Signal<string>; onBack: () => void }) {
  const isSent = useSignal(false);
  const { error, isBusy, submit } = useSubmit(async () => {
    await requestPassword(email.value.trim());
    isSent.value = true;
  });
  const sent = `If ${email.value.trim()} signs in here, a link to set a new password is on its way. It works for 24 hours. Look into the spam folder too.`;
  return (
    <EntryPage
      title={isSent.value ? 'Check your email' : 'Forgot your password?'}
      lead={<span class="break">{isSent.value ? sent : 'You get a link to set a new password.'}</span>}
    >
      {!isSent.value && (
        <form class="fields" onSubmit={submit}>
          <EmailField required autofocus value={email.value} onText={(text) => (email.value = text)} />
          <SignInError error={error.value} />
          <Button kind="primary" type="submit" isBusy={isBusy.value}>
            Send link
          </Button>
        </form>
      )}
      <LinkBelow text="Back to sign-in" onClick={onBack} />
    </EntryPage>
  );
}

/** Opens the request for a link. Without mail, says who can give one. */
export const ForgotLink = ({ onOpen }: { onOpen: () => void }) =>
  installation.sendsMail ? (
    <LinkBelow text="Forgot password?" onClick={onOpen} />
  ) : (
    <details class="small muted first-time">
      <summary>Forgot password?</summary>
      <p>
        This service sends no mail. An owner of your account can give you a link for a new password: <b>Users</b>,{' '}
        <b>Reset password</b>. For the last owner, the operator runs{' '}
        <code class="break">npm run admin -- user reset-password --email E</code>.
      </p>
    </details>
  );

const LinkBelow = ({ text, onClick }: { text: string; onClick: () => void }) => (
  <button type="button" class="link sign-in-other" onClick={onClick}>
    {text}
  </button>
);
