/** States and kinds of live checks in plain words. */
import type { CheckKind, CheckState, CheckStatus } from '../../../src/vocabulary/checks.ts';

type Tone = '' | 'ok' | 'warn' | 'danger';

/** In the order of tabs: those that need work first. `help`: what the state means if there is no reason. */
export const STATES: Record<CheckState, { label: string; tone: Tone; help: string }> = {
  dead: { label: 'Dead', tone: 'danger', help: 'The page does not exist' },
  soft_404: {
    label: 'Soft 404',
    tone: 'danger',
    help: 'The page is equal to that of a random address in the same folder',
  },
  error: { label: 'Error', tone: 'danger', help: 'The host does not answer as it should' },
  loop: { label: 'Loop', tone: 'danger', help: 'The redirects do not end' },
  not_served: { label: 'Not served', tone: 'danger', help: 'The public host does not serve the redirect' },
  differs: { label: 'Differs', tone: 'danger', help: 'The public host serves another redirect' },
  moved: { label: 'Moved', tone: 'warn', help: 'A redirect leads to another page that works' },
  blocked: { label: 'Blocked', tone: 'warn', help: 'The host refuses this check, which says nothing about the page' },
  skipped: { label: 'Skipped', tone: '', help: 'It was not requested' },
  ok: { label: 'Works', tone: 'ok', help: '' },
};

export const STATE_ORDER = Object.keys(STATES) as CheckState[];

export const KINDS: Record<CheckKind, { label: string; help: string }> = {
  targets: { label: 'Targets', help: 'Requests each distinct target of the redirects once: does the page still work?' },
  sources: {
    label: 'Served redirects',
    help: 'Requests each redirect at the public host, patterns by their expectations: is the response that of the live rule?',
  },
  urls: { label: 'Living URLs', help: 'Requests each page of the lists of living URLs: does it respond with 200?' },
};

export const STATUSES: Record<CheckStatus, { label: string; tone: Tone }> = {
  queued: { label: 'Waiting', tone: '' },
  running: { label: 'Running', tone: 'warn' },
  completed: { label: 'Completed', tone: 'ok' },
  stopped: { label: 'Stopped', tone: '' },
  failed: { label: 'Failed', tone: 'danger' },
};

export const isUnfinished = ({ status }: { status: CheckStatus }): boolean =>
  status === 'queued' || status === 'running';

export interface Found {
  state: CheckState | null;
  reason: string | null;
  confirmed: boolean;
  note?: string | null;
}

/** The badge of a result. An address that a check may not connect to says nothing about the page. */
export const badgeOf = ({ state, reason }: Pick<Found, 'state' | 'reason'>): { label: string; tone: Tone } =>
  state === null
    ? { label: 'Waiting', tone: '' }
    : reason === 'address_not_allowed'
      ? { label: 'Private address, not checked', tone: '' }
      : STATES[state];
