import type { ComponentChildren } from 'preact';
import type { IconName } from '../../ui/icons.tsx';

/** One thing that the finder offers: a page to open, or an action. */
export interface Entry {
  icon: IconName;
  /** a name, or a path, which is decoded for reading */
  text: string;
  /** the target of a redirect; null: it has none */
  target?: string | null;
  badge?: string | undefined;
  note?: ComponentChildren;
  /** a page of the dashboard */
  href: string;
  /** opens it in a new tab, because it is no page of the dashboard */
  isExternal?: true;
}

export interface Section {
  title: string;
  entries: Entry[];
}
