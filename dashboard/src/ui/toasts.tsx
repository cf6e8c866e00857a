import { useEffect, useRef } from 'preact/hooks';
import { isOffline } from '../state/browser.ts';
import { useKeys } from '../state/keys.ts';
import { dismiss, type Toast, TOAST_MS, toasts } from '../state/toasts.ts';
import { Button, IconButton, LinkButton } from './button.tsx';
import { Icon } from './icons.tsx';

/** In the top layer, so that dialogs do not cover toasts. */
export function Toasts() {
  useUndoKeys();
  const layer = useRef<HTMLDivElement>(null);
  const newest = toasts.value.at(-1)?.id;
  const isAway = isOffline.value;
  useEffect(() => {
    if ((newest === undefined && !isAway) || !layer.current) return;
    // Showing it again moves it above dialogs that opened since.
    layer.current.hidePopover();
    layer.current.showPopover();
  }, [newest, isAway]);
  return (
    <div ref={layer} class="toasts" popover="manual" role="status" aria-live="polite">
      {isAway && (
        <div>
          <Icon name="warning" />
          <span>You are offline. What you type stays here.</span>
        </div>
      )}
      {toasts.value.map((toast) => (
        <ToastRow key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

const UNDO_KEYS = [
  ['Undo', 'Mod+z', 'Undo the last change'],
  ['Redo', 'Mod+Shift+z', 'Redo the last undo'],
] as const;

/** Ctrl+Z does what the Undo of the last message does, with Shift its Redo. In a field they undo typing, as everywhere. */
function useUndoKeys(): void {
  useKeys(
    UNDO_KEYS.flatMap(([name, keys, label]) => {
      const last = toasts.value.findLast(({ action }) => action?.label === name);
      return last ? [{ keys, label, run: () => act(last), isLeftToFields: true }] : [];
    }),
  );
}

function act({ id, action }: Toast): void {
  dismiss(id);
  action?.run();
}

function ToastRow({ toast }: { toast: Toast }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (toast.stays) return undefined;
    const timer = setInterval(() => {
      if (!element.current?.matches(':hover, :focus-within')) dismiss(toast.id);
    }, TOAST_MS);
    return () => clearInterval(timer);
  }, [toast.id]);
  const { action, link } = toast;
  return (
    <div ref={element}>
      {toast.tone === 'problem' && <Icon name="warning" />}
      <span>
        {toast.text}
        {toast.details !== undefined && <small>{toast.details}</small>}
      </span>
      {link && (
        <LinkButton kind="quiet" size="small" href={link.href} isExternal={!link.href.startsWith('/')}>
          {link.label}
        </LinkButton>
      )}
      {action && (
        <Button kind="quiet" size="small" onClick={() => act(toast)}>
          {action.label}
        </Button>
      )}
      <IconButton label="Dismiss" icon="close" size="small" onClick={() => dismiss(toast.id)} />
    </div>
  );
}
