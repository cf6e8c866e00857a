/**
 * Addresses that are pages of the dashboard: whoever asks for one gets the page, which then shows the screen of the address. Everything
 * else stays what it is, so that an address of the API that does not exist is a 404 in JSON. A screen of the dashboard whose address
 * begins otherwise is added here (test/dashboard/routes.test.ts holds the two against each other).
 */
export const PAGES = [
  '/',
  '/sign-in',
  '/websites',
  '/websites/*',
  '/webhooks',
  '/webhooks/*',
  '/activity',
  '/account',
  '/account/*',
] as const;
