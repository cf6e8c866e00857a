import './path-text.css';
import { useMemo, useRef } from 'preact/hooks';
import { cutOf, directionParts, shownPath } from './path-parts.ts';
import { textMeasure, useWidth } from './text-width.ts';

/** Rounding of the layout. */
const SLACK_PX = 1;

/**
 * A path or URL on one line, with an ellipsis in the middle if it is too long. The hidden part stays in the text, so a
 * selection has the exact path (path-copy.ts). The tooltip, and a box while the keyboard focus is here, show all of it.
 */
export function PathText({ path, isPattern = false }: { path: string; isPattern?: boolean }) {
  const element = useRef<HTMLSpanElement>(null);
  const width = useWidth(element);
  const { text } = useMemo(() => shownPath(path), [path]);
  const cut = useMemo(() => {
    if (width === undefined || !element.current) return undefined;
    return cutOf(text, width + SLACK_PX, { measure: textMeasure(element.current), isPattern });
  }, [text, width, isPattern]);
  return (
    <span
      ref={element}
      class="path-text"
      data-path={path}
      data-shown={text}
      data-cut={cut !== undefined}
      title={text === path ? path : `${text}\n${path}`}
    >
      <Parts text={cut ? text.slice(0, cut.begin) : text} />
      {cut && <span class="path-ellipsis" aria-hidden="true" />}
      {cut && <span class="path-cut">{text.slice(cut.begin, cut.end)}</span>}
      {cut && <Parts text={text.slice(cut.end)} />}
    </span>
  );
}

/** A path or URL in running text: wraps, and copies as it is stored. */
export function WrappedPath({ path }: { path: string }) {
  const { text } = useMemo(() => shownPath(path), [path]);
  return (
    <span class="path-text wrapped" data-path={path}>
      <Parts text={text} />
    </span>
  );
}

function Parts({ text }: { text: string }) {
  return directionParts(text).map(({ text: part, isIsolated }, at) => (isIsolated ? <bdi key={at}>{part}</bdi> : part));
}
