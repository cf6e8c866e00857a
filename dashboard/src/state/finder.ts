import { signal } from '@preact/signals';

/** Whether the box that finds redirects, groups, notes, screens and websites is open. */
export const isFinderOpen = signal(false);

/** The keys that open it on this system, for labels. */
export const FINDER_KEYS = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';
