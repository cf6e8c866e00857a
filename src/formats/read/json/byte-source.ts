import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';

export type ByteSource = ReturnType<typeof createByteSource>;

/** A streamed body: the bytes that have arrived and are not consumed yet, and a way to wait for more. */
export function createByteSource(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]();
  const slice = createTimeSlice();
  const source = {
    buffer: Buffer.alloc(0) as Buffer,
    /** all bytes that have arrived so far */
    received: 0,
    take(count: number): void {
      source.buffer = source.buffer.subarray(count);
    },
    /** Waits for more; false at the end of the body. Yields to the event loop when a time slice is over. */
    async more(): Promise<boolean> {
      // Chunks that have arrived are read without a turn of the event loop.
      if (slice.isOver()) await slice.yield();
      const next = await iterator.next();
      if (next.done) return false;
      source.received += next.value.length;
      source.buffer = source.buffer.length === 0 ? next.value : Buffer.concat([source.buffer, next.value]);
      return true;
    },
  };
  return source;
}
