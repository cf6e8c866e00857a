import { type KeptConnection, keepConnected } from './kept-connection.ts';

export interface Listener {
  onNotify(channel: string, payload: string): void;
  /** LISTEN stands again after a loss: what was notified meanwhile is lost, so read anew. */
  onReconnect(): void;
  onError(error: unknown): void;
}

/**
 * Listens to the channels on a connection of its own, until stopped. A lost connection, also one that is merely silent, is
 * made again within 100 to 500 ms; `ready` resolves when LISTEN stands for the first time.
 */
export function listen(url: string, channels: string[], listener: Listener): KeptConnection {
  return keepConnected(url, {
    async onConnect(client, again) {
      client.on('notification', ({ channel, payload }) => listener.onNotify(channel, payload ?? ''));
      for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
      if (again) listener.onReconnect();
    },
    onError: listener.onError,
  });
}
