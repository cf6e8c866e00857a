/** A form with files as a body. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Body } from '../client.ts';

/** A multipart/form-data body (RFC 7578). `files` are paths by field; undefined values are omitted. */
export function formBody(fields: Record<string, string | undefined>, files: Record<string, string | undefined>): Body {
  const boundary = `detour-${randomUUID()}`;
  const part = (name: string, more: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  async function* chunks(): AsyncGenerator<string | Buffer> {
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) yield `${part(name, '')}${value}\r\n`;
    for (const [name, path] of Object.entries(files)) {
      if (path === undefined) continue;
      yield part(name, `; filename="${name}"\r\nContent-Type: application/octet-stream`);
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) yield chunk;
      yield '\r\n';
    }
    yield `--${boundary}--\r\n`;
  }
  const open = (): Readable => Readable.from(chunks());
  return { type: `multipart/form-data; boundary=${boundary}`, open, isReplayable: true };
}
