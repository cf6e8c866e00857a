import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  /** also by Escape and by a press beside it */
  onClose: () => void;
  shape?: 'middle' | 'side' | 'wide';
  children: ComponentChildren;
}

/**
 * A native modal dialog, open for as long as it is rendered: the browser keeps the focus inside, gives it back afterwards and makes the
 * rest inert. Its children are `.dialog-body` and, where something is to be done, a `footer`.
 */
export function Dialog({ title, onClose, shape = 'middle', children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
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
