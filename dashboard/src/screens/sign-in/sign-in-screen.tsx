import './sign-in.css';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { signIn, signUp } from '../../api/session.ts';
import { installation } from '../../state/installation.ts';
import { user } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Mark } from '../../ui/icons.tsx';
import { Problem } from '../../ui/states.tsx';

/** Sign-in, and sign-up where the service takes new accounts. */
export function SignInScreen() {
  const email = useSignal('');
  const password = useSignal('');
  const isNew = useSignal(false);
  const isBusy = useSignal(false);
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(() => {
    document.title = 'Sign in · Detour';
  }, []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      const credentials = { email: email.value.trim(), password: password.value };
      user.value = (await (isNew.value ? signUp(credentials) : signIn(credentials))).user;
    } catch (thrown) {
      error.value = asApiError(thrown);
    }
    isBusy.value = false;
  }

  return (
    <main class="sign-in">
      <div class="sign-in-box">
        <div class="sign-in-head">
          <Mark size={44} />
          <h1>{isNew.value ? 'Create your Detour account' : 'Sign in to Detour'}</h1>
        </div>
        <form class="fields" onSubmit={(event) => void submit(event)}>
          <Credentials email={email} password={password} isNew={isNew.value} error={error.value} />
          {error.value && error.value.issues.length === 0 && <Problem error={error.value} />}
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {isBusy.value ? 'One moment…' : isNew.value ? 'Create account' : 'Sign in'}
          </Button>
        </form>
        {installation.takesSignUps && <OtherWay isNew={isNew} />}
        {installation.isEmbedded && <FirstTime />}
      </div>
    </main>
  );
}

function Credentials({
  email,
  password,
  isNew,
  error,
}: {
  email: Signal<string>;
  password: Signal<string>;
  isNew: boolean;
  error: ApiError | undefined;
}) {
  return (
    <>
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autocomplete="username"
        required
        autofocus
        value={email.value}
        onText={(text) => (email.value = text)}
        wrong={error?.issueOf('email')}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autocomplete={isNew ? 'new-password' : 'current-password'}
        required
        minLength={isNew ? 10 : undefined}
        hint={isNew ? 'At least 10 characters.' : undefined}
        value={password.value}
        onText={(text) => (password.value = text)}
        wrong={error?.issueOf('password')}
      />
    </>
  );
}

function OtherWay({ isNew }: { isNew: Signal<boolean> }) {
  return (
    <p class="sign-in-other">
      {isNew.value ? 'You have an account?' : 'New here?'}{' '}
      <button type="button" class="link" onClick={() => (isNew.value = !isNew.value)}>
        {isNew.value ? 'Sign in' : 'Create an account'}
      </button>
    </p>
  );
}

/** Where somebody who has just typed `npm start` finds what to write above. */
function FirstTime() {
  return (
    <aside class="first-time">
      <h2>First time here?</h2>
      <p>
        The first start printed an e-mail and a password in its terminal. It keeps them in{' '}
        <code>credentials.json</code> in the data folder, <code>.data</code> unless <code>DATA_DIR</code> says
        otherwise.
      </p>
    </aside>
  );
}
