import { batch, useSignal } from '@preact/signals';
import { acceptInvitation } from '../../api/account.ts';
import type { InvitationLink, User } from '../../api/client/wire.ts';
import { counted, fullTime } from '../../format.ts';
import { go } from '../../router.ts';
import { user } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { NewPasswordField } from '../../ui/form/new-password-field.tsx';
import { FormError, Notice } from '../../ui/page/states.tsx';
import { CodeField, isWrongCode, useSecondFactor } from '../sign-in/code-field.tsx';
import { EmailField } from '../sign-in/credentials.tsx';
import { EntryPage } from '../sign-in/entry-page.tsx';
import { ROLE_DESCRIPTIONS, ROLE_LABEL } from '../../ui/text/user-text.ts';

/** Takes the new password, and a code if the user has two-factor sign-in. */
export function AcceptForm({ link, token }: { link: InvitationLink; token: string }) {
  const { email, role, is_reset: isReset } = link;
  const password = useSignal('');
  const factor = useSecondFactor();
  const { error, isBusy, submit } = useSubmit(async () => {
    const accepted = await factor.send((code) => acceptInvitation({ token, password: password.value, code }));
    if (!accepted) return;
    enter(accepted.user);
    toast(
      isReset
        ? 'Password changed. Your other sessions have ended.'
        : `You are signed in as ${ROLE_LABEL[role].toLowerCase()}`,
    );
  });
  return (
    <EntryPage
      title={factor.isAsked.value ? 'Enter your code' : isReset ? 'Choose a new password' : 'You are invited to Detour'}
      lead={
        isReset ? (
          'It ends all your sessions and signs you in here.'
        ) : (
          <>
            <Inviter link={link} />
            Your role: <strong>{ROLE_LABEL[role]}</strong>. {ROLE_DESCRIPTIONS[role]}
          </>
        )
      }
    >
      <OtherUser email={email} />
      <form class="fields" noValidate onSubmit={submit}>
        {factor.isAsked.value ? (
          <CodeField code={factor.code} isWrong={isWrongCode(error.value)} />
        ) : (
          <>
            <EmailField value={email} />
            <NewPasswordField
              hint="At least 10 characters, and not a common password. A sentence works well."
              autofocus
              value={password.value}
              onChange={(text) => (password.value = text)}
              error={error.value?.issueOf('password')}
            />
          </>
        )}
        {!isWrongCode(error.value) && <FormError error={error.value} fields={['password']} />}
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          {isReset ? 'Set password' : 'Accept invitation'}
        </Button>
      </form>
      <p class="small muted sign-in-other">The link works once, until {fullTime(link.expires_at)}.</p>
    </EntryPage>
  );
}

/** The owner who invites, and the websites of the invitation. */
function Inviter({ link: { invited_by: by, websites: names, website_count: count } }: { link: InvitationLink }) {
  const rest = count - names.length;
  const named = rest > 0 ? [...names, counted(rest, 'more website', 'more websites')] : names;
  if (by === null) return null;
  return (
    <>
      <strong class="break">{by}</strong> invites you
      {named.length > 0 && ` to ${new Intl.ListFormat('en').format(named)}`}.{' '}
    </>
  );
}

function OtherUser({ email }: { email: string }) {
  const signedIn = user.value;
  if (!signedIn || signedIn.email === email) return null;
  return (
    <Notice>
      You are signed in as <strong class="break">{signedIn.email}</strong>. Continue only if you are also{' '}
      <strong class="break">{email}</strong>.
    </Notice>
  );
}

/** Opens the first screen of the user. Websites of a previous user are loaded again. */
function enter(next: User): void {
  batch(() => {
    if (user.value?.id !== next.id) websites.value = undefined;
    user.value = next;
  });
  go('/', { replace: true });
}
