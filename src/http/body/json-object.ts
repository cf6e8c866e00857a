import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import type { z } from 'zod';
import { DomainError } from '../../vocabulary/error.ts';
import { namesFromWire } from '../wire/wire-names.ts';
import { requestError } from '../wire/zod-issues.ts';
import { limitBytes } from './read-body.ts';

/** Details of the errors: what to send instead. */
interface Remedies {
  tooLarge: string;
  notJson?: string;
}

/**
 * Reads a whole body of JSON, with the names of code; zero bytes are `{}`. Throws BODY_TOO_LARGE, INVALID_JSON, and the
 * error of invalid fields.
 */
export async function readJsonObject<Schema extends z.ZodObject>(
  body: AsyncIterable<Buffer>,
  schema: Schema,
  maxBytes: number,
  { tooLarge, notJson = 'body: send one JSON object' }: Remedies,
) {
  const data = parseJson(await buffer(limitBytes(body, maxBytes, tooLarge)), notJson);
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw requestError('body', parsed.error.issues, data, Object.keys(schema.shape));
  return namesFromWire(schema)(parsed.data);
}

function parseJson(bytes: Buffer, notJson: string): unknown {
  const invalid = (details: string): DomainError =>
    new DomainError('INVALID_JSON', 'The body is not valid JSON', { details });
  if (!isUtf8(bytes)) throw invalid('body: send JSON in UTF-8');
  try {
    return bytes.length === 0 ? {} : JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid(notJson);
  }
}
