/** Resolves as `work` does, or to `late` if that takes longer than `ms`. The work goes on, and what it throws is ignored. */
export async function within<Value, Late>(ms: number, work: Promise<Value>, late: Late): Promise<Value | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(resolve, ms, late);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
