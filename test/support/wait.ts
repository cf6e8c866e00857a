/** Retries until a value is returned, such as the end of a deployment. Throws after `withinMs`. */
export async function until<T>(ask: () => Promise<T | undefined | false>, withinMs = 20_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
