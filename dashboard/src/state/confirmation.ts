import { signal } from '@preact/signals';
import { onConfirmRequired } from '../api/client.ts';

/** Settles the open request for the password; undefined: none is open. */
export const confirmation = signal<((isConfirmed: boolean) => void) | undefined>(undefined);

let pending: Promise<boolean> | undefined;

/** Asks for the password when the service requires it. Concurrent requests share one dialog. */
export function startConfirmations(): void {
  onConfirmRequired(() => (pending ??= ask()));
}

function ask(): Promise<boolean> {
  return new Promise((resolve) => {
    confirmation.value = (isConfirmed) => {
      confirmation.value = pending = undefined;
      resolve(isConfirmed);
    };
  });
}
