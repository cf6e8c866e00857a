/**
 * Limits and features of each plan. `maxWebsites` and `maxRedirects` bound the whole account. An unknown plan has no
 * features.
 */
export const PLANS = {
  free: {
    requestsPerMinute: 100,
    apiAccess: false,
    analytics: false,
    webhooks: false,
    bulkImportMax: 1_000,
    maxWebsites: 3,
    maxRedirects: 10_000,
    maxUrls: 10_000,
  },
  pro: {
    requestsPerMinute: 1_000,
    apiAccess: true,
    analytics: true,
    webhooks: false,
    bulkImportMax: 10_000,
    maxWebsites: 20,
    maxRedirects: 100_000,
    maxUrls: 100_000,
  },
  business: {
    requestsPerMinute: 5_000,
    apiAccess: true,
    analytics: true,
    webhooks: true,
    bulkImportMax: 100_000,
    maxWebsites: 100,
    maxRedirects: 1_000_000,
    maxUrls: 1_000_000,
  },
  enterprise: {
    requestsPerMinute: 20_000,
    apiAccess: true,
    analytics: true,
    webhooks: true,
    bulkImportMax: 1_000_000,
    maxWebsites: 1_000,
    maxRedirects: 20_000_000,
    maxUrls: 20_000_000,
  },
} as const;

export type Plan = keyof typeof PLANS;

/** Features that a plan has or lacks. Operations check the counts themselves. */
export type PlanFeature = 'apiAccess' | 'analytics' | 'webhooks';

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

/** Maximum redirects in one call on any plan. More is 413 and not a plan's limit. */
export const BULK_IMPORT_MAX = 1_000_000;

export const ANONYMOUS_REQUESTS_PER_MINUTE = 100;

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(PLANS, name);
}

/** The cheapest plan that has the feature, for the message of a 403. */
export function cheapestPlanWith(feature: PlanFeature): Plan {
  return PLAN_NAMES.find((plan) => PLANS[plan][feature]) ?? 'enterprise';
}
