import type { EventKind } from '../../../src/vocabulary/kinds.ts';
import { call, type NextPage, type PageQuery } from './client/client.ts';
import type { Delivery, ListedDelivery, LoggedDelivery, SecretWebhook, Webhook, WebhookTest } from './client/wire.ts';

/** The editable fields of a webhook. */
export type WebhookFields = Pick<Webhook, 'name' | 'url' | 'events'>;

type DeliveryQuery = PageQuery & {
  grouped?: boolean;
  /** `since` is inclusive, `until` exclusive */
} & Partial<Record<'state' | 'event' | 'since' | 'until', string | undefined>>;

const webhookPath = (id: string): string => `/api/webhooks/${encodeURIComponent(id)}`;

const deliveryPath = (id: string, deliveryId: string): string =>
  `${webhookPath(id)}/deliveries/${encodeURIComponent(deliveryId)}`;

export const listWebhooks = (signal?: AbortSignal) => call<{ webhooks: Webhook[] }>('GET', '/api/webhooks', { signal });

export const fetchWebhook = (id: string, signal?: AbortSignal) =>
  call<{ webhook: Webhook }>('GET', webhookPath(id), { signal });

/** The only response that contains the secret. */
export const createWebhook = (body: WebhookFields) =>
  call<{ webhook: SecretWebhook }>('POST', '/api/webhooks', { body });

export const updateWebhook = (id: string, body: Partial<WebhookFields> & { is_active?: boolean }) =>
  call<{ webhook: Webhook }>('PUT', webhookPath(id), { body });

export const deleteWebhook = (id: string) => call('DELETE', webhookPath(id));

/** The only response that contains the new secret. */
export const rotateSecret = (id: string, body: { overlap_seconds: number }) =>
  call<{ webhook: SecretWebhook }>('POST', `${webhookPath(id)}/rotate-secret`, { body });

/** Resolves when the receiver has responded, or after 15 s. */
export const testWebhook = (id: string, body: { event: EventKind }) =>
  call<WebhookTest>('POST', `${webhookPath(id)}/test`, { body });

export const replayWebhook = (
  id: string,
  body: { since: string; until?: string | undefined; state: 'failed' | 'all' | 'waiting' },
) => call<{ count: number }>('POST', `${webhookPath(id)}/replay`, { body });

export const listDeliveries = (id: string, query: DeliveryQuery, signal?: AbortSignal) =>
  call<NextPage & { deliveries: ListedDelivery[] }>('GET', `${webhookPath(id)}/deliveries`, {
    query: { ...query },
    signal,
  });

export const fetchDelivery = (id: string, deliveryId: string, signal?: AbortSignal) =>
  call<{ delivery: LoggedDelivery }>('GET', deliveryPath(id, deliveryId), { signal });

export const redeliver = (id: string, deliveryId: string) =>
  call<{ delivery: Delivery }>('POST', `${deliveryPath(id, deliveryId)}/redeliver`);
