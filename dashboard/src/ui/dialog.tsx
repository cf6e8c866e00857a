import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  /** also on Escape and on a click outside */
  onClose: () => void;
  shape?: 'side' | 'wide';
  onKeyDown?: (event: KeyboardEvent) => void;
  children: ComponentChildren;
}

/**
 * Attributes of a native dialog that is modal while it is rendered. It opens in the same task: no key of a fast typist
 * reaches the page below.
 */
export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const previous = document.activeElement;
    ref.current?.showModal();
    leaveCloseButton(ref.current);
    return () => {
      // After the dialog is gone: until then, nothing else takes the focus.
      queueMicrotask(() => {
        const isFree = document.activeElement === document.body;
        if (isFree && previous instanceof HTMLElement && previous.isConnected) previous.focus();
      });
    };
  }, []);
  return {
    ref,
    onCancel(event: Event) {
      event.preventDefault();
      onClose();
    },
    onPointerDown(event: PointerEvent) {
      if (event.target === ref.current) onClose();
    },
  };
}

/** Without `autofocus`, the browser focuses the close button. The first field or action is better, but not in a panel. */
function leaveCloseButton(dialog: HTMLDialogElement | null): void {
  if (dialog?.matches(':not(.side):has(> header :focus)'))
    dialog.querySelector<HTMLElement>('.dialog-body :is(input, textarea, select):enabled, footer button')?.focus();
}

/** A modal dialog. Children: `.dialog-body` and, if it has actions, a `footer`. */
export function Dialog({ title, onClose, shape, onKeyDown, children }: DialogProps) {
  const modal = useModal(onClose);
  const id = useId();
  return (
    <dialog
      {...modal}
      class={shape ? `dialog ${shape}` : 'dialog'}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      onClose={() => {
        // Browsers close a dialog on a second Escape, whatever onCancel does.
        modal.ref.current?.showModal();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton label="Close" icon="close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}
