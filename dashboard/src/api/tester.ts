import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';
import type { TestedUrl } from './wire.ts';

export const testUrl = (body: { website_id: number; environment: Environment; url: string }, signal?: AbortSignal) =>
  call<TestedUrl>('POST', '/api/redirects/test', { body, signal });
