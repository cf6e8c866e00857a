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

/** Origins of a delivery: the event itself, a redelivery or replay that a user requested, or a test of the receiver. */
export const DELIVERY_KINDS = ['event', 'redelivery', 'replay', 'test'] as const;

export type DeliveryKind = (typeof DELIVERY_KINDS)[number];
