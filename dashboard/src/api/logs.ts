import { call } from './client/client.ts';
import type { LogDay } from './client/wire.ts';

/** The received lines of each stream of access logs by day, the latest first. */
export const listLogs = (websiteId: number, signal?: AbortSignal) =>
  call<{ logs: LogDay[] }>('GET', `/api/v1/websites/${websiteId}/logs`, { signal });
