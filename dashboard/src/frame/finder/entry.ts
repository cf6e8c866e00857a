import { type Signal, signal } from '@preact/signals';
import type { IconName } from '../../ui/icons.tsx';

/** Whether the box that finds redirects, groups, notes, screens and websites is open. */
export const isFinderOpen = signal(false);

/** The keys that open it on this system, for labels. */
export const FINDER_KEYS = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** One thing that the finder offers: a page to open, or an action. */
export interface Entry {
  icon: IconName;
  /** a name, or a path, which is decoded for reading */
  text: string;
  /** the target of a redirect; null: it has none */
  target?: string | null;
  badge?: string | undefined;
  note?: string | undefined;
  /** a page of the dashboard */
  href: string;
  /** does this instead of opening the page */
  run?: () => void;
  /** replaces the text of the box instead, which stays open */
  line?: string;
  /** opens it in a new tab, because it is no page of the dashboard */
  isExternal?: true;
}

export interface Section {
  title: string;
  entries: Entry[];
}

/** State that the field and the list of results share. The field works before the list is loaded. */
export interface FinderModel {
  text: Signal<string>;
  /** index of the active entry */
  active: Signal<number>;
  /** number of entries; undefined until the list is loaded */
  count: Signal<number | undefined>;
  /** true after Enter until the active entry is opened, which may wait for the results */
  isChosen: Signal<boolean>;
  close: () => void;
}

/** Ids of elements, by which the field names the active entry. */
export const entryId = (at: number): string => `found-${at}`;
export const RESULTS_ID = 'found';
