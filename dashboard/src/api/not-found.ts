import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';
import type { MissingPathPage } from './wire.ts';

/** Rows leave the screen before their write ends, so that reads wait for it. Never rejects. */
let writes: Promise<unknown> = Promise.resolve();

export const listMissingPaths = async (
  websiteId: number,
  query: {
    environment: Environment;
    noise?: boolean | undefined;
    ignored: boolean;
    cursor?: string | undefined;
  },
  signal?: AbortSignal,
) => {
  await writes;
  return call<MissingPathPage>('GET', `/api/websites/${websiteId}/not-found`, { query: { ...query }, signal });
};

/** Ignores paths, or stops ignoring them; in every environment if none is given. */
export const ignorePaths = (
  websiteId: number,
  body: { paths: string[]; ignored: boolean; environment?: Environment | undefined },
) => {
  const write = call<{ ignored: number }>('POST', `/api/websites/${websiteId}/not-found/ignore`, { body });
  writes = Promise.allSettled([writes, write]);
  return write;
};
