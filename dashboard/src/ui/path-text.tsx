import './path-text.css';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type MarkedPart, markedParts, partsBetween } from './marked.tsx';
import { directionParts, endLength, shownPath } from './path-parts.ts';

/** Marks paths that are cut, whose full text a box shows while the keyboard focus is on them. */
function markCut(element: HTMLElement): void {
  const begin = element.firstElementChild;
  element.dataset['cut'] = String(begin !== null && begin.scrollWidth > begin.clientWidth);
}

/** One observer for all paths: it reports after layout and before paint. */
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) if (target instanceof HTMLElement) markCut(target);
});

/**
 * A path or URL on one line, with an ellipsis in the middle if it is too long. The hidden part stays in the text, so a
 * selection has the exact path (path-copy.ts). The tooltip, and a box while the keyboard focus is here, show all of it.
 * A screen reader gets it in one piece, from the CSS.
 * `search`: marks its matches. Needs a font of one width (`.mono`).
 */
export function PathText({ path, search = '' }: { path: string; search?: string | undefined }) {
  const element = useRef<HTMLSpanElement>(null);
  const { text } = useMemo(() => shownPath(path), [path]);
  const parts = useMemo(() => markedParts(text, search), [text, search]);
  const at = beforeMatch(parts, text.length - endLength(text));
  useLayoutEffect(() => {
    if (!element.current) return;
    const { current } = element;
    markCut(current);
    observer.observe(current);
    return () => observer.unobserve(current);
  }, [text]);
  return (
    <span
      ref={element}
      class="path-text"
      data-path={path}
      data-shown={text}
      style={{ '--end': `${text.length - at}ch` }}
      title={text === path ? path : `${text}\n${path}`}
    >
      <span class="path-begin" aria-hidden="true">
        <Parts parts={partsBetween(parts, 0, at)} />
      </span>
      <span class="path-end" aria-hidden="true">
        <span>
          <Parts parts={partsBetween(parts, at, text.length)} />
        </span>
      </span>
    </span>
  );
}

/** The position, or the start of the match that it is inside. */
function beforeMatch(parts: readonly MarkedPart[], at: number): number {
  let start = 0;
  for (const { part, isMatch } of parts) {
    if (isMatch && start < at && at < start + part.length) return start;
    start += part.length;
  }
  return at;
}

/** A path or URL in running text: wraps, and copies as it is stored. */
export function WrappedPath({ path, search = '' }: { path: string; search?: string | undefined }) {
  const { text } = useMemo(() => shownPath(path), [path]);
  return (
    <span class="path-text wrapped" data-path={path}>
      <Parts parts={markedParts(text, search)} />
    </span>
  );
}

/** A text in which a path may occur, such as `updated /old`. */
export function TextWithPath({ text, path }: { text: string; path: string | null }) {
  const at = path ? text.indexOf(path) : -1;
  if (path === null || at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <WrappedPath path={path} />
      {text.slice(at + path.length)}
    </>
  );
}

function Parts({ parts }: { parts: readonly MarkedPart[] }) {
  const pieces = directionParts(parts.map(({ part }) => part).join(''));
  let end = 0;
  return pieces.map(({ text, isIsolated }, at) => {
    const start = end;
    end += text.length;
    const marked = partsBetween(parts, start, end).map(({ part, isMatch }, key) =>
      isMatch ? <mark key={key}>{part}</mark> : part,
    );
    return isIsolated ? <bdi key={at}>{marked}</bdi> : marked;
  });
}
