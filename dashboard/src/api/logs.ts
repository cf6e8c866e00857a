/** Access logs of other servers. */
import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call, queryText } from './client/client.ts';
import { upload, type UploadOptions } from './client/upload.ts';
import type { CountedLog, LogDay } from './client/wire.ts';

const pathOf = (websiteId: number): string => `/api/v1/websites/${websiteId}/logs`;

/** The received lines of each stream by day, the latest first. */
export const listLogs = (websiteId: number, signal?: AbortSignal) =>
  call<{ logs: LogDay[] }>('GET', pathOf(websiteId), { signal });

export interface LogQuery {
  stream: string;
  environment: Environment;
  /** that of lines without one */
  host: string | undefined;
}

/** Counts the lines of a file, except those that were counted before in the stream. */
export const countLog = (websiteId: number, file: File, query: LogQuery, progress: UploadOptions) =>
  upload<CountedLog>(pathOf(websiteId) + queryText({ ...query }), file, progress);
