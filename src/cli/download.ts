/** Writes a response to a file or to standard output. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context, Outcome } from './command.ts';
import { CommandError, unreachable } from './errors.ts';
import { countBytes, createProgress } from './progress.ts';

/** Writes to standard output without a path. A file is replaced only once the response is complete. */
export async function writeResponse(
  context: Context,
  body: Readable,
  path: string | undefined,
): Promise<Outcome | undefined> {
  if (path !== undefined) return writeFileAtomically(context, body, path);
  await writeTo(context, body, context.terminal.stdout);
  return undefined;
}

async function writeFileAtomically(context: Context, body: Readable, path: string): Promise<Outcome> {
  const draft = `${path}.${process.pid}.part`;
  try {
    const bytes = await writeTo(context, body, createWriteStream(draft));
    await rename(draft, path);
    return { text: `${path}: ${bytes.toLocaleString('en')} bytes`, json: { file: path, changed: true, bytes } };
  } catch (error) {
    await rm(draft, { force: true });
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the number of bytes. Throws a CommandError if the connection closes before the end. */
async function writeTo({ terminal, client }: Context, body: Readable, target: Writable): Promise<number> {
  const progress = createProgress(terminal.stderr);
  let total = 0;
  let broken: Error | undefined;
  body.once('error', (error) => (broken = error));
  const counter = countBytes((bytes) => {
    total = bytes;
    progress.show('receiving', bytes);
  });
  try {
    await pipeline(body, counter, target, { end: target !== terminal.stdout });
  } catch (error) {
    throw broken ? unreachable(client.url, broken) : error;
  } finally {
    progress.clear();
  }
  return total;
}
