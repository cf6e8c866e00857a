/** API keys of the account. */
import { call } from './client/client.ts';
import type { ApiKey, CreatedApiKey } from './client/wire.ts';

export type KeyFields = Pick<ApiKey, 'name' | 'scope' | 'expires_at' | 'website_ids'>;

/** Newest first, revoked and expired keys included. */
export const listKeys = (signal?: AbortSignal) => call<{ api_keys: ApiKey[] }>('GET', '/api/keys', { signal });

/** The only response that contains the key itself. */
export const createKey = (body: KeyFields) => call<{ api_key: CreatedApiKey }>('POST', '/api/keys', { body });

export const revokeKey = (id: string) => call('DELETE', `/api/keys/${id}`);

export const renameKey = (id: string, name: string) =>
  call<{ api_key: ApiKey }>('PATCH', `/api/keys/${id}`, { body: { name } });

/** The only response that contains the new key. The previous one stays valid for the hours; 0 revokes it. */
export const rollKey = (id: string, hours: number) =>
  call<{ api_key: CreatedApiKey; previous: ApiKey }>('POST', `/api/keys/${id}/roll`, {
    body: { expires_in_hours: hours },
  });
