import { signal } from '@preact/signals';

/** The token of the link that opened the page; '' if it has none. */
export const linkToken = signal('');

/** Moves the token out of the address bar and the browser's history, where others could read it. */
export function takeToken(): void {
  const token = location.hash.slice(1);
  if (token === '') return;
  history.replaceState(history.state, '', location.pathname + location.search);
  linkToken.value = token;
}
