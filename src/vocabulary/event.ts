/** The eight kinds of event, as subscribers name them. */
export const EVENT_KINDS = [
  'redirect.created',
  'redirect.updated',
  'redirect.deleted',
  'deployment.started',
  'deployment.completed',
  'deployment.failed',
  'bulk_import.completed',
  'bulk_export.completed',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];
