import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

const GAP = 4;

/**
 * A button that opens a list as a native popover; arrow keys move in it. `label`: the name of a button without text.
 */
export function Menu({
  label,
  buttonClass,
  button,
  children,
}: {
  label?: string;
  buttonClass: string;
  button: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button ref={opener} type="button" class={buttonClass} aria-label={label} aria-haspopup="true" popovertarget={id}>
        {button}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        class="menu"
        onToggle={(event) => {
          if (event.newState === 'open') placeList(opener.current, list.current);
        }}
        onClick={() => list.current?.hidePopover()}
        onKeyDown={moveWithArrows}
      >
        {children}
      </div>
    </>
  );
}

/** Places the list below its button, or above if there is no room, within the window. */
function placeList(button: HTMLElement | null, list: HTMLElement | null): void {
  if (!button || !list) return;
  const at = button.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const below = at.bottom + GAP;
  const top = below + height > innerHeight ? Math.max(GAP, at.top - GAP - height) : below;
  list.style.top = `${top}px`;
  list.style.left = `${Math.max(12, Math.min(at.left, innerWidth - width - 12))}px`;
  list.querySelector<HTMLElement>('a, button')?.focus();
}

function moveWithArrows(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  if (!(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('a, button')];
  const at = items.findIndex((item) => item === document.activeElement);
  const step = event.key === 'ArrowDown' ? 1 : -1;
  items[(at + step + items.length) % items.length]?.focus();
}
