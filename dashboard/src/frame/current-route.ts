import { computed } from '@preact/signals';
import { matchPath } from '../match-path.ts';
import { type Params, currentLocation } from '../router.ts';
import { type Route, ROUTES } from '../routes.ts';

export const SIGN_IN = '/sign-in';
export const HOME = '/';

/** The screen of the address with its parameters; undefined where no screen has it. */
export const currentRoute = computed<{ route: Route; params: Params } | undefined>(() => {
  const { path } = currentLocation.value;
  for (const route of ROUTES) {
    const params = matchPath(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
});

/** True for an address that this page shows without asking the service for another. */
export function isPage(path: string): boolean {
  return (
    path === HOME || path === SIGN_IN || ROUTES.some((route) => matchPath(route.path, path) !== undefined)
  );
}
