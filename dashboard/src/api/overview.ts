import { call } from './client/client.ts';
import type { AccountOverview } from './client/wire.ts';

/** The things that need attention, and the figures of the week. `websiteId`: undefined for all websites. */
export const fetchOverview = (websiteId: number | undefined, signal?: AbortSignal) =>
  call<AccountOverview>('GET', '/api/v1/overview', { query: { website_id: websiteId }, signal });
