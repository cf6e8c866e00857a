import { call, type NextPage, type PageQuery } from './client/client.ts';
import type { AccountOverview, HostState, Website, WebsiteFields } from './client/wire.ts';

export const listWebsites = (signal?: AbortSignal) => call<{ websites: Website[] }>('GET', '/api/websites', { signal });

/** Websites by a part of their name or of any host, or by a host that they serve. Found hosts come first. */
export const findWebsites = (query: { q: string } | { host: string }, signal: AbortSignal) =>
  call<{ websites: Website[] }>('GET', '/api/websites', { query, signal });

/** A website with all its hosts; lists have the first 100. */
export const getWebsite = (id: number, signal?: AbortSignal) =>
  call<{ website: Website }>('GET', `/api/websites/${id}`, { signal });

/** The state of each host in DNS, in pages. */
export const listHosts = (id: number, query: PageQuery & { q?: string | undefined }, signal?: AbortSignal) =>
  call<NextPage & { hosts: HostState[] }>('GET', `/api/websites/${id}/hosts`, { query: { ...query }, signal });

export const createWebsite = (body: Partial<WebsiteFields> & { name: string }) =>
  call<{ website: Website }>('POST', '/api/websites', { body });

/** `if_updated_at`: CHANGED_SINCE if the website has been changed after it. */
export const updateWebsite = (id: number, body: Partial<WebsiteFields> & { if_updated_at?: string }) =>
  call<{ website: Website }>('PUT', `/api/websites/${id}`, { body });

/** Changes the hosts. CHANGED_SINCE if another user saves at the same time. */
export async function changeHosts(id: number, change: (hosts: Website['hosts']) => WebsiteFields['hosts']) {
  const { hosts, updated_at: since } = (await getWebsite(id)).website;
  return (await updateWebsite(id, { hosts: change(hosts), if_updated_at: since })).website;
}

/** Also deletes its redirects. Its hosts stop serving immediately. */
export const deleteWebsite = (id: number) => call('DELETE', `/api/websites/${id}`, { query: { force: true } });

/** Looks up the TXT record of a host. NOT_VERIFIED if DNS does not have it. */
export const verifyHost = (id: number, hostname: string) =>
  call<{ website: Website }>('POST', `/api/websites/${id}/hosts/verify`, { body: { hostname } });

/** The things that need attention, and the figures of the week. `websiteId`: undefined for all websites. */
export const fetchOverview = (websiteId: number | undefined, signal?: AbortSignal) =>
  call<AccountOverview>('GET', '/api/v1/overview', { query: { website_id: websiteId }, signal });
