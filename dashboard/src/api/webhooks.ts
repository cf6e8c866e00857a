import type { EventKind } from '../../../src/vocabulary/event.ts';
import { call } from './client.ts';
import type { Delivery, LoggedDelivery, SecretWebhook, Webhook, WebhookTest } from './wire.ts';

/** What a webhook is written with. */
export interface WebhookFields {
  name: string;
  url: string;
  events: EventKind[];
}

export interface DeliveryQuery {
  state?: string | undefined;
  event?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

const at = (id: string): string => `/api/webhooks/${encodeURIComponent(id)}`;

export const listWebhooks = (signal?: AbortSignal) =>
  call<{ webhooks: Webhook[] }>('GET', '/api/webhooks', { signal });

export const fetchWebhook = (id: string, signal?: AbortSignal) =>
  call<{ webhook: Webhook }>('GET', at(id), { signal });

/** The answer has the secret, this once. */
export const createWebhook = (body: WebhookFields) =>
  call<{ webhook: SecretWebhook }>('POST', '/api/webhooks', { body });

export const updateWebhook = (id: string, body: Partial<WebhookFields> & { is_active?: boolean }) =>
  call<{ webhook: Webhook }>('PUT', at(id), { body });

export const deleteWebhook = (id: string) => call<{ message: string }>('DELETE', at(id));

/** The answer has the new secret, this once. */
export const rotateSecret = (id: string, body: { overlap_seconds: number }) =>
  call<{ webhook: SecretWebhook }>('POST', `${at(id)}/rotate-secret`, { body });

/** Answers when the receiver has, or after 15 seconds. */
export const testWebhook = (id: string, body: { event: EventKind }) =>
  call<WebhookTest>('POST', `${at(id)}/test`, { body });

export const replayWebhook = (
  id: string,
  body: { since: string; until?: string | undefined; state: 'failed' | 'all' },
) => call<{ count: number }>('POST', `${at(id)}/replay`, { body });

export const listDeliveries = (id: string, { ...query }: DeliveryQuery, signal?: AbortSignal) =>
  call<{ deliveries: Delivery[]; next_cursor: string | null }>('GET', `${at(id)}/deliveries`, {
    query,
    signal,
  });

export const fetchDelivery = (id: string, deliveryId: string, signal?: AbortSignal) =>
  call<{ delivery: LoggedDelivery }>('GET', `${at(id)}/deliveries/${encodeURIComponent(deliveryId)}`, {
    signal,
  });

export const redeliver = (id: string, deliveryId: string) =>
  call<{ delivery: Delivery }>('POST', `${at(id)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`);
