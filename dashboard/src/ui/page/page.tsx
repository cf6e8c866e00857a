import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Action, MoreActions } from './folded.tsx';

/**
 * A screen: heading, actions and content. The heading is also the title of the browser tab. On phones, the actions `more`
 * are in a menu.
 */
export function Page({
  title,
  lead,
  actions,
  more = [],
  isWide = false,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  more?: readonly Action[];
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
        {(actions || more.length > 0) && (
          <div class="actions">
            {more.length > 0 && <MoreActions actions={more} />}
            {actions}
          </div>
        )}
      </div>
      {children}
    </div>
  );
}
