import { signal } from '@preact/signals';
import { asApiError } from '../api/api-error.ts';

export interface Toast {
  id: number;
  tone: 'plain' | 'problem';
  text: string;
  details?: string;
  action?: { label: string; run: () => void };
  /** where to go on from here; to another site in a tab of its own */
  link?: { label: string; href: string } | undefined;
}

export const toasts = signal<Toast[]>([]);

/** Long enough to read and to reach Undo by keyboard; a toast that has the pointer or the focus stays. */
export const TOAST_MS = 8_000;

let made = 0;

/** Tells what happened, at the edge of the screen; with `action` what can be done about it, such as Undo, with `link` what comes next. */
export function toast(text: string, action?: Toast['action'], link?: Toast['link']): void {
  add({ tone: 'plain', text, ...(action && { action }), link });
}

/** Tells what failed and the remedy that the service names. */
export function toastError(thrown: unknown, doing: string): void {
  const error = asApiError(thrown);
  add({
    tone: 'problem',
    text: `${doing}: ${error.message}`,
    ...(error.details !== '' && error.details !== error.message && { details: error.details }),
  });
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

function add(toast: Omit<Toast, 'id'>): void {
  toasts.value = [...toasts.value.slice(-2), { ...toast, id: ++made }];
}
