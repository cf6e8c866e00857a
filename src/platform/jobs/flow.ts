/** Chunks of bytes between threads with backpressure: the receiver acknowledges each chunk that it has consumed. */

/** Chunks that are sent and not acknowledged yet: about 1 MB of the usual 64 KB. */
const WINDOW = 16;

export interface Sender {
  /** Sends a chunk. Resolves when the next one may follow; rejects after `stop`. */
  send(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
  acknowledge(): void;
  /** Rejects this and every later `send` with `reason`. */
  stop(reason: Error): void;
}

/** `post` transfers the chunk to the other thread, so the caller must not use it again. */
export function createSender(post: (chunk: Uint8Array<ArrayBuffer>) => void): Sender {
  let inFlight = 0;
  let stopped: Error | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;
  return {
    async send(chunk) {
      if (stopped) throw stopped;
      post(chunk);
      if (++inFlight < WINDOW) return;
      waiting = Promise.withResolvers<void>();
      await waiting.promise;
    },
    acknowledge() {
      inFlight--;
      waiting?.resolve();
    },
    stop(reason) {
      stopped ??= reason;
      waiting?.reject(stopped);
    },
  };
}

export interface Receiver extends AsyncIterable<Buffer> {
  push(chunk: Uint8Array<ArrayBuffer>): void;
  end(): void;
  /** The reader receives the error after the chunks that arrived before it. */
  fail(error: unknown): void;
}

/** `acknowledge` tells the other thread that a chunk was consumed. For one reader. */
export function createReceiver(acknowledge: () => void): Receiver {
  const queue: Uint8Array<ArrayBuffer>[] = [];
  let ended: { error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const changed = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    push(chunk) {
      queue.push(chunk);
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
      for (;;) {
        const chunk = queue.shift();
        if (chunk) {
          yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
          acknowledge();
        } else if (!ended) await new Promise<void>((resolve) => (wake = resolve));
        else if ('error' in ended) throw ended.error;
        else return;
      }
    },
  };
}

/** Bytes that may be transferred: a copy, because a Buffer often shares its memory with others. */
export function transferable(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = chunk;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(chunk);
}
