import './tabs.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Tab {
  href: string;
  isHere: boolean;
  label: ComponentChildren;
}

/** Parts of a screen, each with an address of its own. Where they are wider than the page they scroll, and the present one is in view. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const nav = useRef<HTMLElement>(null);
  const here = tabs.find(({ isHere }) => isHere)?.href;
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.isHere ? 'page' : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
