/** Kinds of items of the overview in the order of the list, the most severe first. */
export const OVERVIEW_KINDS = [
  'deployment.gated',
  'deployment.failed',
  'urls.lost',
  'loops.live',
  'expectations.failing',
  'host.unverified',
  'webhook.failing',
  'notice.failing',
  'agent.lagging',
  'targets.broken',
  'quota.near',
  'key.ends_soon',
  'redirect.ends_soon',
  'environment.held',
  'changes.waiting',
  'not_found.paths',
  'move.open',
  'redirect.starts_soon',
] as const;

export type OverviewKind = (typeof OVERVIEW_KINDS)[number];

/** Items of one kind and website that name one thing each; the last one counts the others. */
export const MAX_ITEMS_OF_KIND = 20;
/** Items, and websites with figures, of one response. */
export const MAX_OVERVIEW_ITEMS = 1_000;
export const MAX_OVERVIEW_WEBSITES = 1_000;
