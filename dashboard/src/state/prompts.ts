/** Dialogs that rejected requests open. The requests are repeated if the user enters what they lack. */
import { signal } from '@preact/signals';
import { onConfirmRequired, onSessionEnded } from '../api/client/client.ts';
import { user } from './session.ts';

export type Settle = (isDone: boolean) => void;

/** `settle` settles the open dialog; undefined: it is closed. `ask` opens it; concurrent requests share one. */
function createPrompt() {
  const settle = signal<Settle | undefined>(undefined);
  let pending: Promise<boolean> | undefined;
  const open = (): Promise<boolean> =>
    new Promise((resolve) => {
      settle.value = (isDone) => {
        settle.value = pending = undefined;
        resolve(isDone);
      };
    });
  return { settle, ask: (): Promise<boolean> => (pending ??= open()) };
}

export const passwordPrompt = createPrompt();
export const signInPrompt = createPrompt();

/** In the time of `performance.now()`. */
let lastSignIn = 0;

export function startPrompts(): void {
  onConfirmRequired(passwordPrompt.ask);
  onSessionEnded(async (sentAt) => {
    if (!user.peek()) return false;
    // Responses to requests of the old session may arrive late.
    if (lastSignIn > sentAt) return true;
    const isDone = await signInPrompt.ask();
    if (isDone) lastSignIn = performance.now();
    return isDone;
  });
}
