import './tabs.css';
import type { ComponentChildren } from 'preact';

export interface Tab {
  href: string;
  isHere: boolean;
  label: ComponentChildren;
}

/** Parts of a screen, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.isHere ? 'page' : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
