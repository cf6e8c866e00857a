/**
 * Paths that respond with the dashboard's page. All other paths keep their response: an unknown one is a 404, in JSON for
 * programs. test/dashboard/routes.test.ts compares this list with the screens of the dashboard.
 */
export const PAGES = [
  '/',
  '/sign-in',
  '/invitation',
  '/reset-password',
  '/websites',
  '/websites/*',
  '/webhooks',
  '/webhooks/*',
  '/activity',
  '/account',
  '/account/*',
] as const;
