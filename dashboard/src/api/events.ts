import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { EventKind } from '../../../src/vocabulary/event.ts';
import { call } from './client.ts';
import type { Redirect } from './wire.ts';

/** A redirect as events carry it. */
export interface EventRedirect {
  id: string;
  old_path: string;
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
  group_id: string | null;
  notes: string | null;
  target_environments: Environment[];
}

/** What an event tells, by its kind: one of these. */
export interface EventData {
  redirect?: EventRedirect | null;
  /** of a change: the former values of the changed fields */
  previous?: Partial<EventRedirect> | null;
  /** one event for many redirects */
  bulk?: { count: number; updates: Partial<EventRedirect> | null };
  deployment?: {
    environment: Environment;
    version: number | null;
    redirect_count: number | null;
    error: string | null;
  };
  import?: {
    source: string;
    summary: { created: number; updated: number; skipped: number; errors: number };
    processing_time: string;
  };
  export?: { format: string; total_count: number };
}

export interface ActivityEvent {
  id: string;
  event: EventKind;
  timestamp: string;
  website_id: number | null;
  actor: { type: 'user' | 'key' | 'system'; id: string; name: string };
  data: EventData;
}

export const listEvents = (
  query: {
    website_id?: number | undefined;
    redirect_id?: string | undefined;
    event?: EventKind | undefined;
    cursor?: string | undefined;
    limit: number;
  },
  signal?: AbortSignal,
) => call<{ events: ActivityEvent[]; next_cursor: string | null }>('GET', '/api/events', { query, signal });

/** Takes back a single change or deletion of the last 24 hours; CONFLICT where it was changed again since. */
export const restoreRedirect = (body: { website_id: number; event_id: string }) =>
  call<{ redirect: Redirect }>('POST', '/api/redirects/restore', { body });
