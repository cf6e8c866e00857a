import './path-text.css';
import { useMemo, useRef } from 'preact/hooks';
import { type MarkedPart, markedParts, partsBetween } from './marked.tsx';
import { cutOf, directionParts, shownPath } from './path-parts.ts';
import { textMeasure, useWidth } from './text-width.ts';

/** Rounding of the layout. */
const SLACK_PX = 1;

/**
 * A path or URL on one line, with an ellipsis in the middle if it is too long. The hidden part stays in the text, so a
 * selection has the exact path (path-copy.ts). The tooltip, and a box while the keyboard focus is here, show all of it.
 * `search`: marks its matches; the ellipsis stands for matches in the hidden part. `shared`: a beginning that others of
 * the list have too.
 */
export function PathText({
  path,
  isPattern = false,
  search = '',
  shared = '',
}: {
  path: string;
  isPattern?: boolean;
  shared?: string;
  search?: string | undefined;
}) {
  const element = useRef<HTMLSpanElement>(null);
  const width = useWidth(element);
  const { text } = useMemo(() => shownPath(path), [path]);
  const cut = useMemo(() => {
    if (width === undefined || !element.current) return undefined;
    const measure = textMeasure(element.current);
    const hidden = path.startsWith(shared) ? shownPath(shared).text.length : 0;
    return cutOf(text, width + SLACK_PX, { measure, isPattern, shared: hidden });
  }, [text, width, isPattern, shared]);
  const parts = useMemo(() => markedParts(text, search), [text, search]);
  const hasHiddenMatch = cut && partsBetween(parts, cut.begin, cut.end).some(({ isMatch }) => isMatch);
  const Ellipsis = hasHiddenMatch ? 'mark' : 'span';
  return (
    <span
      ref={element}
      class="path-text"
      data-path={path}
      data-shown={text}
      data-cut={cut !== undefined}
      title={text === path ? path : `${text}\n${path}`}
    >
      <Parts parts={cut ? partsBetween(parts, 0, cut.begin) : parts} />
      {cut && <Ellipsis class="path-ellipsis" aria-hidden="true" />}
      {cut && <span class="path-cut">{text.slice(cut.begin, cut.end)}</span>}
      {cut && <Parts parts={partsBetween(parts, cut.end, text.length)} />}
    </span>
  );
}

/** A path or URL in running text: wraps, and copies as it is stored. */
export function WrappedPath({ path, search = '' }: { path: string; search?: string | undefined }) {
  const { text } = useMemo(() => shownPath(path), [path]);
  return (
    <span class="path-text" data-path={path}>
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

export interface Step {
  /** a path or URL, or what stands for it */
  text: string;
  /** such as the status */
  note: string;
}

/** The URLs of a visitor who is redirected, in order. `isLoop`: they never end. */
export function Steps({ steps, isLoop, look = '' }: { steps: readonly Step[]; isLoop: boolean; look?: string }) {
  return (
    <ol class={`steps ${look}`} data-loop={isLoop}>
      {steps.map(({ text, note }, at) => (
        <li key={at}>
          <span class="mono break">
            <WrappedPath path={text} />
          </span>
          <span class="badge">{note}</span>
        </li>
      ))}
    </ol>
  );
}
