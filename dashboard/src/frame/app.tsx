import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { go, currentLocation, query } from '../router.ts';
import { loadSession, user } from '../state/session.ts';
import { currentWebsite, loadWebsites, websites } from '../state/websites.ts';
import { SignInScreen } from '../screens/sign-in/sign-in-screen.tsx';
import { Mark } from '../ui/icons.tsx';
import { Problem } from '../ui/states.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { currentRoute, HOME, SIGN_IN } from './current-route.ts';
import { Frame } from './frame.tsx';

/** Who is it, then what: nothing of a screen is shown before that is known. */
export function App() {
  const error = useSignal<ApiError | undefined>(undefined);
  async function load(what: () => Promise<void>): Promise<void> {
    error.value = undefined;
    try {
      await what();
    } catch (thrown) {
      error.value = asApiError(thrown);
    }
  }
  const ahead = useRef<Promise<void>>(undefined);
  function start(): void {
    ahead.current = askAhead();
    void load(loadSession);
  }
  async function loadWhatIsLeft(): Promise<void> {
    await ahead.current;
    ahead.current = undefined;
    if (!websites.peek()) await loadWebsites();
  }
  useEffect(start, []);
  const who = user.value;
  const id = who?.id;
  useEffect(() => {
    if (id !== undefined) void load(loadWhatIsLeft);
    else websites.value = undefined;
  }, [id]);
  useEffect(goOn);

  if (error.value) {
    const retry = who ? () => void load(() => loadWebsites()) : start;
    return (
      <main class="alone">
        <Problem error={error.value} onRetry={retry} />
      </main>
    );
  }
  const isReady =
    who && websites.value && currentLocation.value.path !== HOME && currentLocation.value.path !== SIGN_IN;
  return (
    <>
      {who === null && <SignInScreen />}
      {isReady && <Frame />}
      {who !== null && !isReady && <Starting />}
      <Toasts />
    </>
  );
}

/**
 * Most often somebody is signed in, and looks at this address: what is needed for it is asked for before that is certain, all at once.
 * What fails here is asked for again in its turn, which tells the failure.
 */
async function askAhead(): Promise<void> {
  const screen = currentRoute.peek()?.route.load();
  await Promise.allSettled([screen, loadWebsites()]);
}

/** Seen only where it takes long. */
function Starting() {
  return (
    <div class="starting" role="status" aria-label="Loading">
      <Mark size={44} />
    </div>
  );
}

/** Nobody signed in: to the sign-in, which leads back. Signed in: away from it, and from the bare address to something to look at. */
function goOn(): void {
  const { path } = currentLocation.value;
  if (user.value === null && path !== SIGN_IN) {
    const wanted = path === HOME ? '' : `?to=${encodeURIComponent(location.pathname + location.search)}`;
    return go(SIGN_IN + wanted, { replace: true });
  }
  if (!user.value || !websites.value || (path !== HOME && path !== SIGN_IN)) return;
  const wanted = query.value.get('to');
  // A path of this page only: `//other.host` and `/\other.host` would leave it.
  const isOwn = wanted !== null && /^\/(?![/\\])/.test(wanted);
  const website = currentWebsite.value;
  const home = website ? `/websites/${website.id}/redirects` : '/websites';
  go(isOwn ? wanted : home, { replace: true });
}
