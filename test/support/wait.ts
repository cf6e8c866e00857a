/** The longest pause between two questions. */
const MAX_PAUSE_MS = 100;

/**
 * Retries until a value is returned, such as the end of a deployment. Throws after `withinMs`. Pauses for a fifth of the
 * time so far, because a question is a request, and many of them slow down what is waited for.
 */
export async function until<T>(ask: () => Promise<T | undefined | false>, withinMs = 20_000): Promise<T> {
  const began = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const passed = performance.now() - began;
    if (passed > withinMs) throw new Error(`not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(10, passed / 5), MAX_PAUSE_MS)));
  }
}
