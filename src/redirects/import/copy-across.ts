import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/**
 * Moves rows from a COPY of one connection into a COPY of another; throws what fails on either side. Where the writing side fails, what
 * the reading one still sends is read past: a COPY that is given up half-way blocks its connection for good.
 */
export async function copyAcross(from: Readable, into: Writable): Promise<void> {
  from.once('error', (error) => into.destroy(error));
  from.pipe(into);
  try {
    await finished(into);
  } catch (error) {
    from.unpipe(into);
    from.resume();
    await finished(from).catch(() => {});
    throw error;
  }
}
