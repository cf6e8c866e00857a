/** Live checks: what is asked, and what came back. */

export const CHECK_KINDS = ['targets', 'sources', 'urls'] as const;

export type CheckKind = (typeof CHECK_KINDS)[number];

export const CHECK_STATUSES = ['queued', 'running', 'completed', 'stopped', 'failed'] as const;

export type CheckStatus = (typeof CHECK_STATUSES)[number];

/** States of a target or a living URL. `skipped` and those of sources: not_served, differs. */
export const TARGET_STATES = ['ok', 'dead', 'error', 'moved', 'soft_404', 'blocked', 'loop'] as const;

export type TargetState = (typeof TARGET_STATES)[number];

const SOURCE_STATES = ['ok', 'not_served', 'differs', 'error', 'skipped'] as const;

export type SourceState = (typeof SOURCE_STATES)[number];

export type CheckState = TargetState | SourceState;

export const CHECK_STATES = [...new Set<CheckState>([...TARGET_STATES, ...SOURCE_STATES])] as const;

/** States of a target or URL that is no longer what its redirect or list says, an unconfirmed error excepted. */
export const BROKEN_STATES: readonly CheckState[] = ['dead', 'soft_404', 'loop', 'error', 'not_served', 'differs'];

/** Those of targets, the worst first. */
export const BROKEN_TARGETS = ['dead', 'soft_404', 'loop', 'error'] as const satisfies TargetState[];

/** Values of the filter `target_state` of redirects. */
export const TARGET_STATE_FILTERS = [...TARGET_STATES, 'broken', 'unchecked'] as const;

/** A check is started by a call, the schedule of the website, or a deployment. */
export const CHECK_TRIGGERS = ['manual', 'schedule', 'deployment'] as const;

export type CheckTrigger = (typeof CHECK_TRIGGERS)[number];

/** When the website is checked by itself. */
export interface CheckSchedule {
  every: 'off' | 'daily' | 'weekly';
  /** 0 to 23, in `timeZone` */
  hour: number;
  /** of `weekly`: 1 (Monday) to 7 */
  weekday: number;
  /** IANA name */
  timeZone: string;
}

export const DEFAULT_SCHEDULE: CheckSchedule = { every: 'off', hour: 3, weekday: 1, timeZone: 'UTC' };

/** The header of a check's request to an own host; its value is the nonce of the service. */
export const NONCE_HEADER = 'detour-check';

/** Requests a second to a host, and the most to own verified hosts. */
export const DEFAULT_RATE = 2;
export const MAX_RATE = 10;
