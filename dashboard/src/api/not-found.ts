import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';

/** A path that visitors asked for and no redirect matched. */
export interface MissingPath {
  /** one over 2,048 bytes is cut and ends in an ellipsis */
  path: string;
  hits: number;
  bot_hits: number;
  last_seen_at: string;
  referrer_host: string | null;
  /** what scanners ask every website for */
  noise: boolean;
  /** live targets that look like it, the likest first */
  suggestions: { new_path: string; similarity: number }[];
}

interface MissingPathPage {
  paths: MissingPath[];
  next_cursor: string | null;
  /** counted without their paths, because there were too many different ones */
  other: { hits: number; bot_hits: number };
}

export const listMissingPaths = (
  websiteId: number,
  query: {
    environment: Environment;
    noise?: boolean | undefined;
    ignored: boolean;
    cursor?: string | undefined;
  },
  signal?: AbortSignal,
) => call<MissingPathPage>('GET', `/api/websites/${websiteId}/not-found`, { query: { ...query }, signal });

/** Puts paths aside, or back. In every environment where none is named. */
export const ignorePaths = (
  websiteId: number,
  body: { paths: string[]; ignored: boolean; environment?: Environment | undefined },
) => call<{ ignored: number }>('POST', `/api/websites/${websiteId}/not-found/ignore`, { body });
