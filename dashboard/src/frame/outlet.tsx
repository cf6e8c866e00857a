import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import type { Params } from '../router.ts';
import type { Route } from '../routes.ts';
import { websites } from '../state/websites.ts';
import { LinkButton } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Problem } from '../ui/states.tsx';
import { currentRoute } from './current-route.ts';

type Screen = ComponentType<{ params: Params }>;

/** Screens that were fetched already are shown without waiting. */
const fetched = new Map<Route, Screen>();

/** The screen of the address. While another is fetched, the one before stays. */
export function Outlet() {
  const current = currentRoute.value;
  const shown = useSignal<{ route: Route; Screen: Screen } | undefined>(undefined);
  const hasFailed = useSignal(false);
  const route = current?.route;
  useEffect(() => {
    hasFailed.value = false;
    if (!route) return;
    let isCurrent = true;
    fetchScreen(route).then(
      (Screen) => {
        if (isCurrent) shown.value = { route, Screen };
      },
      () => (hasFailed.value = isCurrent),
    );
    return () => (isCurrent = false);
  }, [route]);

  if (!current || isUnknownWebsite(current.params)) return <NothingHere />;
  if (hasFailed.value) return <NotFetched />;
  const Screen = fetched.get(current.route) ?? shown.value?.Screen;
  if (!Screen || shown.value?.route !== current.route) return null;
  return <Screen key={current.params['websiteId']} params={current.params} />;
}

async function fetchScreen(route: Route): Promise<Screen> {
  const Screen = fetched.get(route) ?? (await route.load());
  fetched.set(route, Screen);
  return Screen;
}

function isUnknownWebsite({ websiteId }: Params): boolean {
  return websiteId !== undefined && !websites.value?.some(({ id }) => String(id) === websiteId);
}

function NothingHere() {
  return (
    <Page title="There is nothing here">
      <p>The address is not right, or what was here is gone or belongs to another account.</p>
      <div class="actions">
        <LinkButton href="/websites">Your websites</LinkButton>
      </div>
    </Page>
  );
}

/** A part of the page that cannot be fetched is most often of a version before the service was updated. */
function NotFetched() {
  const error = new ApiError(0, 'NO_ANSWER', 'This screen could not be loaded', {
    details: 'The service was updated or cannot be reached. Load the page again.',
  });
  return (
    <Page title="Not loaded">
      <Problem error={error} onRetry={() => location.reload()} />
    </Page>
  );
}
