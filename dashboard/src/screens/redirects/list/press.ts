/** Single and double presses on rows. Opening a redirect moves the rows, so that a second press would hit another one. */
import type { Redirect } from '../../../api/client/wire.ts';
import { currentLocation } from '../../../router.ts';
import { isNarrow, openId, openRedirect, pageUrl } from '../open-page.ts';

/** The part of a row that a double press hits. */
export interface Press {
  /** the class of the cell, such as `cell-to` */
  cell: string;
  /** the place in the displayed path; undefined beside a path */
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
  return before.toString().length;
}

/** Longer than most double presses take. */
const SECOND_PRESS_MS = 300;

/** the redirect of the last first press */
let firstId: number | undefined;
let opening: ReturnType<typeof setTimeout> | undefined;

/** At the beginning of each press on a row: a second press replaces the opening of the first one. */
export function beginPress({ id }: Redirect, { detail }: MouseEvent): void {
  clearTimeout(opening);
  if (detail <= 1) firstId = id;
}

/** The second press on a row that has moved under the pointer. */
export const isStray = ({ id }: Redirect, { detail }: MouseEvent): boolean => detail > 1 && firstId !== id;

/**
 * Opens the redirect of a single press: at once if that moves no rows, otherwise when no second press follows. The middle
 * button, and Ctrl or Cmd, open it in a new tab.
 */
export function openPressed(redirect: Redirect, event: MouseEvent): void {
  const { detail, button, ctrlKey, metaKey } = event;
  if (button === 1 || ctrlKey || metaKey) {
    event.stopPropagation();
    window.open(pageUrl(redirect.website_id, redirect.id));
    return;
  }
  if (detail > 1) return;
  if (detail === 0 || isNarrow.peek() || openId.peek() !== undefined) return openRedirect(redirect);
  const location = currentLocation.peek();
  clearTimeout(opening);
  opening = setTimeout(() => {
    if (currentLocation.peek() === location) openRedirect(redirect);
  }, SECOND_PRESS_MS);
}
