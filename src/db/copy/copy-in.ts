import { once } from 'node:events';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** A running COPY into a table, with backpressure. Its connection is busy until `end` or `abort` resolves. */
export type CopyIn = ReturnType<typeof startCopyIn>;

/** `table` is the name of a table, and must not contain untrusted text. */
export function startCopyIn(client: PoolClient, table: string) {
  const copy = client.query(copyFrom(`copy ${table} from stdin`));
  let failure: Error | undefined;
  const failed = new Promise<never>((_, reject) => {
    copy.once('error', (error) => {
      failure = error;
      reject(error);
    });
  });
  failed.catch(() => {});
  return {
    /** Sends COPY text. Resolves when the next text may follow. */
    async send(text: string | Buffer) {
      // The stream has no connection any more, and would throw a TypeError.
      if (failure) throw failure;
      if (!copy.write(text)) await Promise.race([once(copy, 'drain'), failed]);
    },
    /** Resolves when the rows are stored. */
    async end() {
      if (failure) throw failure;
      const finished = once(copy, 'finish');
      copy.end();
      await Promise.race([finished, failed]);
    },
    /** Stores nothing. The connection stays usable. */
    async abort() {
      // After an error the stream would wait forever for a response to its end.
      if (failure || copy.writableFinished || copy.destroyed) return;
      // Destroying a running COPY sends CopyFail; a query before its end would wait forever.
      const closed = once(copy, 'close').catch(() => {});
      copy.destroy(new Error('the import was aborted'));
      await closed;
    },
  };
}
