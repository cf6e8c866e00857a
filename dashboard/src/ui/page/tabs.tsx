import './tabs.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { counted } from '../../format.ts';

export interface Tab {
  href: string;
  isCurrent: boolean;
  label: ComponentChildren;
  /** how many things there are to do */
  toDo?: number;
}

/**
 * Parts of a screen, each with its own URL. They scroll if they are wider than the page; the current one is kept in
 * view.
 */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const nav = useRef<HTMLElement>(null);
  const currentHref = tabs.find(({ isCurrent }) => isCurrent)?.href;
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [currentHref, tabs.map(({ toDo = 0 }) => toDo).join()]);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
          {tab.label}
          <ToDoBadge count={tab.toDo ?? 0} />
        </a>
      ))}
    </nav>
  );
}

/** How many things there are to do; nothing for 0. */
export function ToDoBadge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span class="badge warn" title={`${counted(count, 'thing')} to do`}>
      {count}
    </span>
  );
}
