import { useLayoutEffect, useRef } from 'preact/hooks';
import { fetchRedirect } from '../../../api/redirects.ts';
import type { Redirect, Website } from '../../../api/client/wire.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Loaded } from '../../../ui/page/states.tsx';
import type { RedirectRows } from '../actions.ts';
import type { Draft } from './draft.ts';
import { RedirectEditor } from './redirect-editor.tsx';

interface PanelProps {
  website: Website;
  /** an existing redirect; undefined: a new one */
  id?: number | undefined;
  /** initial fields of a new redirect */
  start?: Partial<Draft>;
  /** after a change of the redirect, also by Undo */
  onChanged: () => void;
  /** the element that gets the focus after a save; otherwise, the one that had it */
  nextFocus?: (() => HTMLElement | undefined) | undefined;
  onClose: () => void;
}

/** The form of a new or an existing redirect over another screen. A save closes it. */
export function RedirectPanel({ website, id, start, onChanged, nextFocus, onClose }: PanelProps) {
  const next = useRef<HTMLElement>(undefined);
  const rows = useRef(rowsOf(onChanged)).current;
  // Nothing outside of an open dialog takes the focus.
  useLayoutEffect(() => () => queueMicrotask(() => next.current?.focus()), []);
  function onSaved(): void {
    next.current = nextFocus?.();
    if (id !== undefined) onClose();
  }
  const form = { list: rows, website, onSaved, onClose };
  return (
    <Dialog title={id === undefined ? 'New redirect' : 'Redirect'} shape="side" onClose={onClose}>
      {id === undefined ? <RedirectEditor {...form} start={start} /> : <StoredRedirect {...form} id={id} />}
    </Dialog>
  );
}

function StoredRedirect({ id, ...form }: Omit<Parameters<typeof RedirectEditor>[0], 'redirect'> & { id: number }) {
  const found = useResource(`redirect:${id}`, async (signal) => (await fetchRedirect(id, signal)).redirect);
  return (
    <Loaded of={found} lines={9}>
      {(redirect) => <RedirectEditor {...form} redirect={redirect} />}
    </Loaded>
  );
}

/** The other screen has no rows of redirects. It reads its own again, once for each new state. */
function rowsOf(onChanged: () => void): RedirectRows {
  let newest: string | undefined;
  return {
    prepend: onChanged,
    patch(_id: number, { updated_at: at }: Partial<Redirect>) {
      if (at === newest) return;
      newest = at;
      onChanged();
    },
    remove() {
      onChanged();
      return onChanged;
    },
    reload: onChanged,
  };
}
