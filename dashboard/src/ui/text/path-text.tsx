import './path-text.css';
import type { Signal } from '@preact/signals';
import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type MarkedPart, markedParts, partsBetween } from './marked.tsx';
import { cutsOf, directionParts, shownPath } from './path-parts.ts';
import { textMeasure, useWidth } from './text-width.ts';

/** Rounding of the layout. */
const SLACK_PX = 1;

/**
 * A path or URL on one line, with an ellipsis in the middle if it is too long. Hidden parts stay in the text, so a
 * selection has the exact path (path-copy.ts). The tooltip, and a box while the keyboard focus is here, show all of it.
 * `search`: marks its matches; an ellipsis stands for matches in its hidden part. `shared`: a beginning that others of
 * the list have too. `drawn` counts the paths that hide it.
 */
export function PathText({
  path,
  isPattern = false,
  search = '',
  shared = '',
  drawn,
}: {
  path: string;
  isPattern?: boolean;
  shared?: string;
  drawn?: Signal<number>;
  search?: string | undefined;
}) {
  const element = useRef<HTMLSpanElement>(null);
  const width = useWidth(element);
  const { text } = useMemo(() => shownPath(path), [path]);
  const cuts = useMemo(() => {
    if (width === undefined || !element.current) return [];
    const measure = textMeasure(element.current);
    const hidden = path.startsWith(shared) ? shownPath(shared).text.length : 0;
    return cutsOf(text, width + SLACK_PX, { measure, isPattern, shared: hidden });
  }, [text, width, isPattern, shared]);
  const hidesShared = shared !== '' && path.startsWith(shared) && cuts.length > 0;
  useLayoutEffect(() => {
    if (!drawn || !hidesShared) return;
    drawn.value++;
    return () => void drawn.value--;
  }, [drawn, hidesShared]);
  const parts = useMemo(() => markedParts(text, search), [text, search]);
  return (
    <span
      ref={element}
      class="path-text"
      data-path={path}
      data-shown={text}
      data-cut={cuts.length > 0}
      title={text === path ? path : `${text}\n${path}`}
    >
      {cuts.map(({ begin, end }, at) => (
        <Fragment key={at}>
          <Parts parts={partsBetween(parts, cuts[at - 1]?.end ?? 0, begin)} />
          <Hidden parts={partsBetween(parts, begin, end)} />
        </Fragment>
      ))}
      <Parts parts={partsBetween(parts, cuts.at(-1)?.end ?? 0, text.length)} />
    </span>
  );
}

/** A hidden part of a path: an ellipsis, and its text for selections. */
export function Hidden({ parts }: { parts: readonly MarkedPart[] }) {
  const Ellipsis = parts.some(({ isMatch }) => isMatch) ? 'mark' : 'span';
  return (
    <>
      <Ellipsis class="path-ellipsis" aria-hidden="true" />
      <span class="path-cut">{parts.map(({ part }) => part).join('')}</span>
    </>
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

/** Parts of a path; each segment that is written from right to left stands alone. */
export function Parts({ parts }: { parts: readonly MarkedPart[] }) {
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
