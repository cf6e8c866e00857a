import { useEffect, useRef } from 'preact/hooks';
import { isOffline } from '../state/browser.ts';
import { useKeys } from '../state/keys.ts';
import { dismiss, type Toast, TOAST_MS, toasts } from '../state/toasts.ts';
import { Button, IconButton, LinkButton } from './button.tsx';
import { Icon } from './icons.tsx';

/** In the top layer, so that dialogs do not cover toasts. */
export function Toasts() {
  useUndoKey();
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

/** Ctrl+Z does what the Undo of the last message does. In a field it undoes typing, as everywhere. */
function useUndoKey(): void {
  const last = toasts.value.findLast(({ action }) => action?.label === 'Undo');
  const undo = (): void => {
    if (!last) return;
    dismiss(last.id);
    last.action?.run();
  };
  useKeys(last ? [{ keys: 'Mod+z', label: 'Undo the last change', run: undo, isLeftToFields: true }] : []);
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
        <Button
          kind="quiet"
          size="small"
          onClick={() => {
            dismiss(toast.id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label="Dismiss" icon="close" size="small" onClick={() => dismiss(toast.id)} />
    </div>
  );
}
