import { signal } from '@preact/signals';
import { asApiError } from '../api/client/api-error.ts';

export interface Toast {
  id: number;
  tone: 'plain' | 'problem';
  text: string;
  details?: string;
  /** until it is dismissed */
  stays?: boolean;
  action?: { label: string; run: () => void } | undefined;
  /** the next step; opens in a new tab if it is on another site */
  link?: { label: string; href: string } | undefined;
}

export const toasts = signal<Toast[]>([]);

/** Long enough to read, and to reach Undo with the keyboard. A toast with pointer or focus stays. */
export const TOAST_MS = 8_000;

let lastId = 0;

/**
 * Shows a message. `action`: what can be done about it, such as Undo. `link`: the next step. `details`: more text.
 * `stays`: until the user closes it.
 */
export function toast(
  text: string,
  action?: Toast['action'],
  link?: Toast['link'],
  details?: string,
  stays = false,
): void {
  add({ tone: 'plain', text, stays, ...(action && { action }), link, ...(details !== undefined && { details }) });
}

/** Shows `failure`, such as "Could not deploy", with the service's message and remedy. */
export function toastError(thrown: unknown, failure: string): void {
  const error = asApiError(thrown);
  add({
    tone: 'problem',
    text: `${failure}: ${error.message}`,
    ...(error.details !== '' && error.details !== error.message && { details: error.details }),
    ...(error.code === 'PLAN_LIMIT_EXCEEDED' && { link: { label: 'View plan', href: '/account' } }),
  });
}

/** Says that an undo runs, until it ends. Resolves or rejects with it. */
export function undoing<Result>(work: Promise<Result>): Promise<Result> {
  const id = add({ tone: 'plain', text: 'Undoing…', stays: true });
  return work.finally(() => dismiss(id));
}

/** The Undo of a toast. */
export const undoWith = (undo: () => Promise<unknown>): Toast['action'] => ({
  label: 'Undo',
  run: () => void undoing(undo()).catch((thrown: unknown) => toastError(thrown, 'Could not undo')),
});

/**
 * Reports the end of `work`, which resolves with its undo. `restore` returns the screen to its state before; it runs
 * after a failure, and after Undo.
 */
export function toastResult(
  work: Promise<() => Promise<unknown>>,
  { done, link, failure, restore }: Pick<Toast, 'link'> & { done: string; failure: string; restore: () => void },
): void {
  work.then(
    (undo) =>
      toast(
        done,
        undoWith(() => undo().then(restore)),
        link,
      ),
    (thrown: unknown) => {
      restore();
      toastError(thrown, failure);
    },
  );
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

function add(next: Omit<Toast, 'id'>): number {
  const kept = toasts.value.filter(({ stays }, at, { length }) => stays || at >= length - 2);
  toasts.value = [...kept, { ...next, id: ++lastId }];
  return lastId;
}
