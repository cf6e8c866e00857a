/** What each plan allows: the one table, an allow-list (an unknown plan has nothing). */
export const PLANS = {
  free: { requestsPerMinute: 100, apiAccess: false, analytics: false, webhooks: false, bulkImportMax: 1_000 },
  pro: { requestsPerMinute: 1_000, apiAccess: true, analytics: true, webhooks: false, bulkImportMax: 10_000 },
  business: {
    requestsPerMinute: 5_000,
    apiAccess: true,
    analytics: true,
    webhooks: true,
    bulkImportMax: 100_000,
  },
  enterprise: {
    requestsPerMinute: 20_000,
    apiAccess: true,
    analytics: true,
    webhooks: true,
    bulkImportMax: 1_000_000,
  },
} as const;

export type Plan = keyof typeof PLANS;

/** Features that are in a plan or not; counts are checked by the operation that counts. */
export type PlanFeature = 'apiAccess' | 'analytics' | 'webhooks';

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

/** The most redirects that one call may carry on any plan; more is 413 rather than a plan's limit. */
export const BULK_IMPORT_MAX = 1_000_000;

/** Requests per minute for a client address that is not signed in. */
export const ANONYMOUS_REQUESTS_PER_MINUTE = 100;

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(PLANS, name);
}

/** The cheapest plan that has the feature, for the message of a 403. */
export function cheapestPlanWith(feature: PlanFeature): Plan {
  return PLAN_NAMES.find((plan) => PLANS[plan][feature]) ?? 'enterprise';
}
