import { DomainError } from '../../vocabulary/error.ts';

/** Counted after decompression. */
const MAX_BODY_BYTES = 2 * 1024 ** 3;

/** A streamed body: the bytes that have arrived and are not consumed yet, and a way to wait for more. */
export interface ByteSource {
  buffer: Buffer;
  /** all bytes that have arrived so far */
  received: number;
  /** Consumes the first `count` bytes. */
  take(count: number): void;
  /** Waits for more; false at the end of the body. Throws BODY_TOO_LARGE beyond 2 GiB. */
  more(): Promise<boolean>;
}

export function createByteSource(chunks: AsyncIterable<Buffer>): ByteSource {
  const iterator = chunks[Symbol.asyncIterator]();
  const source: ByteSource = {
    buffer: Buffer.alloc(0),
    received: 0,
    take(count) {
      source.buffer = source.buffer.subarray(count);
    },
    async more() {
      const next = await iterator.next();
      if (next.done) return false;
      source.received += next.value.length;
      if (source.received > MAX_BODY_BYTES) {
        throw new DomainError('BODY_TOO_LARGE', 'The body is too large', {
          details: 'body: at most 2 GiB, counted after decompression; split it',
        });
      }
      source.buffer = source.buffer.length === 0 ? next.value : Buffer.concat([source.buffer, next.value]);
      return true;
    },
  };
  return source;
}
