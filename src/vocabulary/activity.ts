/** Entries of the activity of a website. */
import { CHANGE_KINDS } from './change.ts';

/** A change of redirects by its kind, a deployment, or a change of settings. */
export const ACTIVITY_KINDS = [...CHANGE_KINDS, 'deployment', 'settings'] as const;

export type ActivityKind = (typeof ACTIVITY_KINDS)[number];
