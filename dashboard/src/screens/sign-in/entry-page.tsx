import './sign-in.css';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from '../../ui/icons.tsx';

/** A page for signed-out users: logo, heading and a form. */
export function EntryPage({
  title,
  tab = title,
  lead,
  children,
}: {
  title: string;
  /** the title of the browser tab */
  tab?: string;
  lead?: ComponentChildren;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${tab} · Detour`;
  }, [tab]);
  return (
    <main class="sign-in">
      <div class="stack gap-5 sign-in-box">
        <div class="stack gap-3 sign-in-head">
          <Mark size={44} />
          <h1>{title}</h1>
          {lead && <p class="muted">{lead}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}
