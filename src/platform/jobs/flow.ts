/** Chunks of bytes between threads with backpressure: the receiver acknowledges chunks that it has consumed. */

/** Chunks that are sent and not acknowledged yet: about 1 MB of the usual size. */
const WINDOW = 8;
/** Chunks of one acknowledgement: a message costs 90 microseconds. With the chunk that its reader holds, fewer than WINDOW. */
const ACKNOWLEDGED = 4;
/**
 * Larger chunks are copied to shared memory, in parts of at most SLOT_BYTES: a transferred buffer is garbage for both
 * threads, whose collections block them for up to 25 ms. A writable stream takes in a chunk of 64 KiB or more by itself,
 * so a reader that pipes it has sent it when it asks for the chunk after the next.
 */
const MIN_SLOT_BYTES = 64 * 1024;
/** For a job, which copies each chunk at once. A body that is sent in chunks has fewer than 64 KiB in each. */
export const MIN_BODY_SLOT_BYTES = 4 * 1024;
const SLOT_BYTES = 256 * 1024;

/** A chunk on its way: its bytes, or their place in the memory that the first such message brings. */
export type SentChunk =
  { chunk: Uint8Array<ArrayBuffer> } | { slot: number; length: number; memory?: SharedArrayBuffer };

/** `post` sends to the other thread. Chunks from `minSlotBytes` on are copied to shared memory. */
export function createSender(
  post: (message: SentChunk, transfer: ArrayBuffer[]) => void,
  minSlotBytes = MIN_SLOT_BYTES,
) {
  let inFlight = 0;
  let sent = 0;
  let slots: Buffer | undefined;
  let stopped: Error | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;

  function postCopy(chunk: Uint8Array): void {
    const copy = new Uint8Array(chunk);
    post({ chunk: copy }, [copy.buffer]);
  }

  /** Chunks are acknowledged in their order, so the slot of the chunk before the window is free. */
  function postSlot(chunk: Uint8Array): void {
    const slot = sent % WINDOW;
    const memory = slots ? undefined : new SharedArrayBuffer(WINDOW * SLOT_BYTES);
    if (memory) slots = Buffer.from(memory);
    slots?.set(chunk, slot * SLOT_BYTES);
    post({ slot, length: chunk.length, ...(memory && { memory }) }, []);
  }

  async function sendPart(part: Uint8Array): Promise<void> {
    if (stopped) throw stopped;
    if (part.length < minSlotBytes) postCopy(part);
    else postSlot(part);
    sent++;
    if (++inFlight < WINDOW) return;
    waiting = Promise.withResolvers<void>();
    await waiting.promise;
  }

  return {
    /** Sends a copy of a chunk. Resolves when the next one may follow; rejects after `stop`. */
    async send(chunk: Uint8Array) {
      for (let start = 0; start < chunk.length; start += SLOT_BYTES) {
        await sendPart(chunk.subarray(start, start + SLOT_BYTES));
      }
    },
    acknowledge(count: number) {
      inFlight -= count;
      waiting?.resolve();
    },
    /** Rejects this and every later `send` with `reason`. */
    stop(reason: Error) {
      stopped ??= reason;
      waiting?.reject(stopped);
    },
  };
}

export interface Receiver extends AsyncIterable<Buffer> {
  push(message: SentChunk): void;
  end(): void;
  /** The reader receives the error after the chunks that arrived before it. */
  fail(error: unknown): void;
}

/**
 * `acknowledge` tells the other thread how many more chunks were consumed. For one reader, which may use a chunk until it asks for
 * the one after the next: its memory is then overwritten.
 */
export function createReceiver(acknowledge: (count: number) => void): Receiver {
  const queue: Buffer[] = [];
  let slots: Buffer | undefined;
  let ended: { error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const changed = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    push(message) {
      if ('chunk' in message) queue.push(Buffer.from(message.chunk.buffer));
      else {
        if (message.memory) slots = Buffer.from(message.memory);
        const start = message.slot * SLOT_BYTES;
        if (slots) queue.push(slots.subarray(start, start + message.length));
      }
      changed();
    },
    end() {
      ended ??= {};
      changed();
    },
    fail(error) {
      ended ??= { error };
      changed();
    },
    async *[Symbol.asyncIterator]() {
      // The reader may still use the last chunk, but not those before it.
      let consumed = -1;
      for (;;) {
        const chunk = queue.shift();
        if (chunk) {
          yield chunk;
          if (++consumed < ACKNOWLEDGED) continue;
          acknowledge(consumed);
          consumed = 0;
        } else if (!ended) await new Promise<void>((resolve) => (wake = resolve));
        else if ('error' in ended) throw ended.error;
        else return;
      }
    },
  };
}
