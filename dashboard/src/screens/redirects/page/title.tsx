import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Button } from '../../../ui/button.tsx';
import { WrappedPath } from '../../../ui/text/path-text.tsx';

/** The heading of the page: the path of its redirect. */
export function Title({ path, heading }: { path: string | undefined; heading: RefObject<HTMLHeadingElement | null> }) {
  const clamp = useClamp(heading, path);
  return (
    <div class="title">
      <h2 id="redirect" ref={heading} tabIndex={-1} class="mono" data-clamped={clamp.isClamped}>
        {path === undefined ? 'Redirect' : <WrappedPath path={path} />}
      </h2>
      {clamp.button}
    </div>
  );
}

/** Limits an element to a few lines (`data-clamped`), with a button that shows all of its text if that is longer. */
function useClamp(element: RefObject<HTMLElement | null>, text: string | undefined) {
  const isOpen = useSignal(false);
  const isLong = useSignal(false);
  useLayoutEffect(() => {
    isOpen.value = false;
  }, [text]);
  useLayoutEffect(() => {
    const clamped = element.current;
    if (!clamped || isOpen.value) return;
    // Without the fraction of a line that fonts reach over it.
    const measure = (): void => void (isLong.value = clamped.scrollHeight > clamped.clientHeight + 4);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(clamped);
    return () => observer.disconnect();
  }, [text, isOpen.value]);
  const button = isLong.value && (
    <Button size="small" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
      {isOpen.value ? 'Show less' : 'Show all'}
    </Button>
  );
  return { isClamped: !isOpen.value, button };
}
