/** The clipboard gets paths exactly as they are stored, however they are selected and displayed. */
import { shownPath, storedPart } from './path-parts.ts';

/** Handles copying of selections, and double clicks, which select a whole path. */
export function startPathCopy(): void {
  document.addEventListener('copy', (event) => {
    const text = selectedText();
    if (text === undefined) return;
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  });
  document.addEventListener('dblclick', ({ target }) => {
    const path = target instanceof Element ? target.closest('.path-text') : null;
    if (path) getSelection()?.selectAllChildren(path);
  });
}

/** The selection with stored paths; undefined if it has no path, so that the browser copies it. */
function selectedText(): string | undefined {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || isField(document.activeElement)) return undefined;
  const range = selection.getRangeAt(0);
  const parts = [...document.querySelectorAll<HTMLElement>('.path-text')]
    .filter((element) => range.intersectsNode(element))
    .map((element) => partOf(element, range))
    .filter(({ shown }) => shown !== '');
  const [only] = parts;
  if (!only) return undefined;
  let text = selection.toString();
  let from = 0;
  for (const { shown, stored } of parts) {
    const at = text.indexOf(shown, from);
    if (at < 0) continue;
    text = text.slice(0, at) + stored + text.slice(at + shown.length);
    from = at + stored.length;
  }
  // The end of a line after the path is not part of it.
  return parts.length === 1 && text.trim() === only.stored ? only.stored : text;
}

/** The selected part of a path, as displayed and as stored. */
function partOf(element: HTMLElement, range: Range): { shown: string; stored: string } {
  const shown = shownPath(element.dataset['path'] ?? '');
  const from = element.contains(range.startContainer) ? lengthTo(element, range.startContainer, range.startOffset) : 0;
  const to = element.contains(range.endContainer)
    ? lengthTo(element, range.endContainer, range.endOffset)
    : shown.text.length;
  return { shown: shown.text.slice(from, to), stored: storedPart(shown, from, to) };
}

/** Characters of the element before a position in it. */
function lengthTo(element: HTMLElement, node: Node, offset: number): number {
  const before = document.createRange();
  before.selectNodeContents(element);
  before.setEnd(node, offset);
  return before.toString().length;
}

const isField = (element: Element | null): boolean => element?.matches('input, textarea') ?? false;
