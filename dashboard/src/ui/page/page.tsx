import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** A screen: heading, actions and content. The heading is also the title of the browser tab. */
export function Page({
  title,
  lead,
  actions,
  isWide = false,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  isWide?: boolean;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Detour`;
  }, [title]);
  return (
    <div class={isWide ? 'page wide' : 'page'}>
      <div class="page-head">
        <div>
          <h1>{title}</h1>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
