/** The routes of the dashboard, read from its source, so that tables of tests have every screen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '..', '..', 'dashboard', 'src', 'routes.ts');

export interface DashboardRoute {
  path: string;
  /** also for signed-out users */
  isPublic: boolean;
}

export const ROUTES_SOURCE = readFileSync(SOURCE, 'utf8');

const PUBLIC = /PUBLIC_SCREENS.*?^\};/ms.exec(ROUTES_SOURCE)?.[0] ?? '';

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [...ROUTES_SOURCE.matchAll(/^ {2}('\/[^']*'): /gm)].flatMap(
  ([, quoted = '']) =>
    withAndWithout(quoted.slice(1, -1)).map((path) => ({ path, isPublic: PUBLIC.includes(`  ${quoted}: `) })),
);

/** A path whose last parameter may be missing is two screens. */
function withAndWithout(path: string): string[] {
  return path.endsWith('?') ? [path.replace(/\/[^/]*$/, ''), path.slice(0, -1)] : [path];
}
