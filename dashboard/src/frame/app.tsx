import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/client/api-error.ts';
import { go, currentLocation, query } from '../router.ts';
import { installation, loadSession, user } from '../state/session.ts';
import { discardPrompt } from '../state/unsaved.ts';
import { currentWebsite, loadWebsites, websites } from '../state/websites.ts';
import { EntryPage } from '../screens/sign-in/entry-page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Mark } from '../ui/icons.tsx';
import { Problem } from '../ui/page/states.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { passwordPrompt, signInPrompt } from '../state/prompts.ts';
import { ConfirmPassword, DiscardChanges } from './prompts.tsx';
import { Frame } from './frame.tsx';
import { SIGN_IN } from '../routes.ts';
import { currentRoute, HOME, isPage, Outlet } from './outlet.tsx';
import { SignInAgain } from './sign-in-again.tsx';

/** Shows the sign-in page or the current screen, once session and websites are loaded. */
export function App() {
  const error = useSignal<ApiError | undefined>(undefined);
  async function load(work: () => Promise<void>): Promise<void> {
    error.value = undefined;
    try {
      await work();
    } catch (thrown) {
      error.value = asApiError(thrown);
    }
  }
  const prefetched = useRef<Promise<void>>(undefined);
  function start(): void {
    if (installation.hasSession) prefetched.current = prefetch();
    void load(loadSession);
  }
  async function loadRest(): Promise<void> {
    await prefetched.current;
    prefetched.current = undefined;
    if (!websites.peek()) await loadWebsites();
  }
  useEffect(start, []);
  const signedIn = user.value;
  const id = signedIn?.id;
  useEffect(() => {
    if (id !== undefined) void load(loadRest);
    else websites.value = undefined;
  }, [id]);
  useEffect(enterOrSignIn);

  if (error.value) {
    const retry = signedIn ? () => void load(() => loadWebsites()) : start;
    return (
      <main class="alone">
        <Problem error={error.value} onRetry={retry} />
      </main>
    );
  }
  const { path } = currentLocation.value;
  const isReady = signedIn && websites.value && path !== HOME && path !== SIGN_IN;
  const isPublic = currentRoute.value?.route.isPublic === true && (path !== SIGN_IN || signedIn === null);
  return (
    <>
      {isPublic && <Outlet />}
      {!isPublic && signedIn === null && !isPage(path) && <UnknownPage />}
      {!isPublic && isReady && <Frame />}
      {!isPublic && signedIn !== null && !isReady && <Starting />}
      {passwordPrompt.settle.value && <ConfirmPassword onSettled={passwordPrompt.settle.value} />}
      {signedIn && signInPrompt.settle.value && <SignInAgain user={signedIn} onSettled={signInPrompt.settle.value} />}
      {discardPrompt.value && <DiscardChanges onDiscard={discardPrompt.value} />}
      <Toasts />
    </>
  );
}

/**
 * Loads screen and websites while the session is still loading, because most visitors are signed in. Failures are
 * ignored: the later loads report them.
 */
async function prefetch(): Promise<void> {
  const screen = currentRoute.peek()?.route.load();
  await Promise.allSettled([screen, loadWebsites()]);
}

/** Becomes visible only if loading is slow (CSS). */
function Starting() {
  return (
    <div class="starting" role="status" aria-label="Loading">
      <Mark size={44} />
    </div>
  );
}

/** A wrong address, for signed-out users: signing in would not help. */
function UnknownPage() {
  return (
    <EntryPage title="Page not found" lead="This page does not exist. Check the address.">
      <LinkButton href={SIGN_IN}>Go to sign-in</LinkButton>
    </EntryPage>
  );
}

/** Redirects signed-out users to the sign-in page, and signed-in users from there or from `/` to their page. */
function enterOrSignIn(): void {
  const { path } = currentLocation.value;
  if (currentRoute.value?.route.isPublic && path !== SIGN_IN) return;
  if (user.value === null && path !== SIGN_IN && isPage(path)) {
    const returnTo = path === HOME ? '' : `?to=${encodeURIComponent(location.pathname + location.search)}`;
    return go(SIGN_IN + returnTo, { replace: true });
  }
  if (!user.value || !websites.value || (path !== HOME && path !== SIGN_IN)) return;
  const returnTo = query.value.get('to');
  // Only paths: `//host` and `/\host` would open another site.
  const isPath = returnTo !== null && /^\/(?![/\\])/.test(returnTo);
  const website = currentWebsite.value;
  const home = website ? `/websites/${website.id}` : '/websites';
  go(isPath ? returnTo : home, { replace: true });
}
