import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call, createWrites } from './client/client.ts';
import type { MissingPathPage } from './client/wire.ts';

const writes = createWrites();

export const listMissingPaths = async (
  websiteId: number,
  query: {
    environment: Environment;
    noise?: boolean | undefined;
    ignored: boolean;
    q?: string | undefined;
    sort?: '-hits' | '-last_seen_at' | 'path' | undefined;
    cursor?: string | undefined;
  },
  signal?: AbortSignal,
) => {
  await writes.ended();
  return call<MissingPathPage>('GET', `/api/websites/${websiteId}/not-found`, { query: { ...query }, signal });
};

/** Ignores paths, or stops ignoring them; in every environment if none is given. */
export const ignorePaths = (
  websiteId: number,
  body: { paths: string[]; ignored: boolean; environment?: Environment | undefined },
) => writes.track(call<{ ignored: number }>('POST', `/api/websites/${websiteId}/not-found/ignore`, { body }));
