import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  /** also on Escape and on a click outside */
  onClose: () => void;
  shape?: 'middle' | 'side' | 'wide';
  children: ComponentChildren;
}

/** A native modal dialog, open while it is rendered. Children: `.dialog-body` and, if it has actions, a `footer`. */
export function Dialog({ title, onClose, shape = 'middle', children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // In the same task as it renders: no key of a fast typist reaches the page below.
  useLayoutEffect(() => {
    const previous = document.activeElement;
    element.current?.showModal();
    return () => {
      if (previous instanceof HTMLElement && previous.isConnected) previous.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={shape === 'middle' ? 'dialog' : `dialog ${shape}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // Browsers close a dialog on a second Escape, whatever onCancel does.
        element.current?.showModal();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === element.current) onClose();
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
