import { call } from './client.ts';
import type { GroupPage, Redirect } from './wire.ts';

/** Redirects by a text in their paths (`q`) or notes, newest first; without `website_id` of all websites. */
export const findRedirects = (
  query: { website_id?: number; q?: string; notes?: string; limit: number },
  signal?: AbortSignal,
) => call<{ redirects: Redirect[] }>('GET', '/api/redirects', { query, signal });

/** The groups of a website: of exactly this name, then those that begin with the text, then the largest. */
export const listGroups = (websiteId: number, query: { q?: string | undefined; limit: number }, signal?: AbortSignal) =>
  call<GroupPage>('GET', `/api/websites/${websiteId}/groups`, { query, signal });
