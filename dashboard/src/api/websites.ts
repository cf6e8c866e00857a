import { call } from './client.ts';
import type { Website, WebsiteFields } from './wire.ts';

export const listWebsites = (signal?: AbortSignal) => call<{ websites: Website[] }>('GET', '/api/websites', { signal });

export const createWebsite = (body: Partial<WebsiteFields> & { name: string }) =>
  call<{ website: Website }>('POST', '/api/websites', { body });

export const updateWebsite = (id: number, body: Partial<WebsiteFields>) =>
  call<{ website: Website }>('PUT', `/api/websites/${id}`, { body });

/** Also deletes its redirects. Its hosts stop serving immediately. */
export const deleteWebsite = (id: number) =>
  call<{ message: string }>('DELETE', `/api/websites/${id}`, { query: { force: true } });

/** Looks up the TXT record of a host. NOT_VERIFIED if DNS does not have it. */
export const verifyHost = (id: number, hostname: string) =>
  call<{ website: Website }>('POST', `/api/websites/${id}/hosts/verify`, { body: { hostname } });
