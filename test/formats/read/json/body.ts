import { type ByteSource, createByteSource } from '../../../../src/formats/read/json/byte-source.ts';

/** A body that arrives in chunks of `size` bytes. */
export function bodyOf(content: string | Buffer, size = 64 * 1024): ByteSource {
  const bytes = Buffer.from(content);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return createByteSource(chunks());
}
