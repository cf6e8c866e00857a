import { shownPath, storedPart } from '../../../ui/text/path-parts.ts';

/** The part of a row that a double press hits. */
export interface Press {
  /** the class of the cell, such as `cell-to` */
  cell: string;
  /** the place in the stored path; undefined beside a path */
  caret: number | undefined;
}

export function pressOf({ target, clientX, clientY }: MouseEvent): Press | undefined {
  if (!(target instanceof Element)) return undefined;
  const cell = /cell-\w+/.exec(target.closest('[role=gridcell]')?.className ?? '')?.[0];
  return cell === undefined ? undefined : { cell, caret: caretAt(target, clientX, clientY) };
}

function caretAt(target: Element, x: number, y: number): number | undefined {
  const element = target.closest<HTMLElement>('.path-text');
  const point = 'caretPositionFromPoint' in document ? document.caretPositionFromPoint(x, y) : null;
  if (!element || !point || !element.contains(point.offsetNode)) return undefined;
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(point.offsetNode, point.offset);
  return storedPart(shownPath(element.dataset['path'] ?? ''), 0, before.toString().length).length;
}
