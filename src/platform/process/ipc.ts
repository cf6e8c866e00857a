/** Calls between two processes that share a channel of Node.js. Each side has handlers, called by name. */
import type { ChildProcess } from 'node:child_process';

/** The channel of a child process, as seen from either side. */
export interface Channel {
  send(message: object): void;
  onMessage(receive: (message: unknown) => void): void;
}

/** The channel to a child process, or from this one to its parent. */
export function channelTo(end: ChildProcess | NodeJS.Process): Channel {
  return {
    // The callback receives the error of a channel that has closed. The exit of the child follows.
    send: (message) => void end.send?.(message, undefined, undefined, () => {}),
    onMessage: (receive) => void (end as ChildProcess).on('message', receive),
  };
}

export type IpcHandlers = Record<string, (input: never) => unknown>;

type Message =
  | { detour: 'call'; id: number; name: string; input: unknown }
  | { detour: 'reply'; id: number; output?: unknown; error?: string };

export type Peer = ReturnType<typeof createPeer>;

export function createPeer(channel: Channel, handlers: IpcHandlers) {
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let closed: Error | undefined;

  async function answer({ id, name, input }: Message & { detour: 'call' }): Promise<void> {
    try {
      const handler = handlers[name];
      if (!handler) throw new Error(`no handler of this name: ${name}`);
      channel.send({ detour: 'reply', id, output: await handler(input as never) });
    } catch (error) {
      channel.send({ detour: 'reply', id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  channel.onMessage((received) => {
    if (!isMessage(received)) return;
    if (received.detour === 'call') return void answer(received);
    const call = pending.get(received.id);
    if (received.error === undefined) call?.resolve(received.output);
    else call?.reject(new Error(received.error));
  });

  return {
    /** Calls a handler of the other process. Rejects with its error message, after `timeoutMs`, and after `close`. */
    async call<Output>(name: string, input?: unknown, timeoutMs?: number): Promise<Output> {
      if (closed) throw closed;
      const id = ++lastId;
      const call = Promise.withResolvers<unknown>();
      pending.set(id, call);
      const late = (): void => call.reject(new Error(`no reply to ${name} within ${timeoutMs} ms`));
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      try {
        channel.send({ detour: 'call', id, name, input });
        return (await call.promise) as Output;
      } finally {
        clearTimeout(timer);
        pending.delete(id);
      }
    },
    /** Rejects the calls in progress and all later ones. */
    close(reason: Error) {
      closed = reason;
      for (const call of pending.values()) call.reject(reason);
    },
  };
}

function isMessage(received: unknown): received is Message {
  return typeof received === 'object' && received !== null && 'detour' in received;
}
