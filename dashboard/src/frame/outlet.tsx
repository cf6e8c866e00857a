import { computed, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../api/client/api-error.ts';
import { currentLocation, type Params } from '../router.ts';
import { type Route, ROUTES } from '../routes.ts';
import { isOffline, useBackOnline } from '../state/browser.ts';
import { websites } from '../state/websites.ts';
import { LinkButton } from '../ui/button.tsx';
import { Page } from '../ui/page/page.tsx';
import { Problem } from '../ui/page/states.tsx';
import { matchPath } from '../urls.ts';

export const HOME = '/';

/** The route of the current location with its parameters; undefined if no route matches. */
export const currentRoute = computed<{ route: Route; params: Params } | undefined>(() => {
  const { path } = currentLocation.value;
  for (const route of ROUTES) {
    const params = matchPath(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
});

/** True for paths that the dashboard shows without a page load. */
export function isPage(path: string): boolean {
  return path === HOME || ROUTES.some((route) => matchPath(route.path, path) !== undefined);
}

type Screen = ComponentType<{ params: Params }>;

const loaded = new Map<Route, Screen>();

/** The current screen. The previous one stays while the next one loads. */
export function Outlet() {
  const current = currentRoute.value;
  const shown = useSignal<{ route: Route; Screen: Screen } | undefined>(undefined);
  const hasFailed = useSignal(false);
  const tries = useSignal(0);
  const route = current?.route;
  useEffect(() => {
    hasFailed.value = false;
    if (!route) return;
    let isCurrent = true;
    loadScreen(route).then(
      (Screen) => {
        if (isCurrent) shown.value = { route, Screen };
      },
      () => (hasFailed.value = isCurrent),
    );
    return () => (isCurrent = false);
  }, [route, tries.value]);

  if (!current || isUnknownWebsite(current.params)) return <PageNotFound />;
  if (hasFailed.value) return <LoadFailed onRetry={() => tries.value++} />;
  const Screen = loaded.get(current.route) ?? shown.value?.Screen;
  if (!Screen || shown.value?.route !== current.route) return null;
  return <Screen key={current.params['websiteId']} params={current.params} />;
}

async function loadScreen(route: Route): Promise<Screen> {
  const Screen = loaded.get(route) ?? (await route.load());
  loaded.set(route, Screen);
  return Screen;
}

function isUnknownWebsite({ websiteId }: Params): boolean {
  return websiteId !== undefined && !websites.value?.some(({ id }) => String(id) === websiteId);
}

function PageNotFound() {
  return (
    <Page title="Page not found">
      <p>This page does not exist, was deleted, or belongs to another account.</p>
      <div class="actions">
        <LinkButton href="/websites">Go to websites</LinkButton>
      </div>
    </Page>
  );
}

/**
 * Without a network, or a chunk of an older version, after an update of the service. Only a reload helps after an update;
 * without a network it would show no page.
 */
function LoadFailed({ onRetry }: { onRetry: () => unknown }) {
  useBackOnline(onRetry);
  const error = new ApiError(0, 'NO_RESPONSE', 'This page could not be loaded. Check the network.');
  return (
    <Page title="Could not load">
      <Problem error={error} onRetry={() => (isOffline.peek() ? onRetry() : location.reload())} />
    </Page>
  );
}
