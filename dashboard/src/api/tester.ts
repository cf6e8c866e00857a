import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';
import type { TestAnswer } from './wire.ts';

export const testAddress = (
  body: { website_id: number; environment: Environment; url: string },
  signal?: AbortSignal,
) => call<TestAnswer>('POST', '/api/redirects/test', { body, signal });
