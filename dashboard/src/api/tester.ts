import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';
import type { TestedUrl } from './wire.ts';

/** `at`: an ISO time at which schedules are evaluated; default: now. */
export const testUrl = (
  body: { website_id: number; environment: Environment; url: string; at?: string | undefined },
  signal?: AbortSignal,
) => call<TestedUrl>('POST', '/api/redirects/test', { body, signal });
