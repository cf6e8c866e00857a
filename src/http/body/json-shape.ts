/** Bounds what a JSON body costs to parse and validate, which its size alone does not. */
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../formats/read/json/json-scan.ts';
import { DomainError } from '../../vocabulary/error.ts';

/** A smaller body costs at most a few milliseconds. */
const MIN_CHECKED_BYTES = 16 * 1024;
const MAX_DEPTH = 100;
/** Fields of one object. */
const MAX_FIELDS = 1_000;
/** Brackets, braces, commas and colons. 10,000 hosts have 50,000. */
const MAX_TOKENS = 60_000;
const COLON = 0x3a;

/** Throws BODY_TOO_LARGE for a body with more fields or values than any route takes, INVALID_PARAMETER for more levels. */
export function assertJsonShape(body: Buffer): void {
  if (body.length < MIN_CHECKED_BYTES) return;
  const fields: number[] = [];
  let tokens = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = endOfValue(body, at) - 1;
      // The parser names the string that does not end.
      if (at < 0) return;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      tokens++;
      if (fields.push(0) > MAX_DEPTH) throw tooDeep();
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) fields.pop();
    else if (byte === COMMA) tokens++;
    else if (byte === COLON) {
      tokens++;
      const count = (fields.pop() ?? 0) + 1;
      fields.push(count);
      if (count > MAX_FIELDS) throw tooComplex('has an object of more than 1,000 fields');
    }
    if (tokens > MAX_TOKENS) throw tooComplex('has too many values: more than 60,000 brackets, commas and colons');
  }
}

function tooDeep(): DomainError {
  const details = `body: is nested more than ${MAX_DEPTH} levels deep; send the fields of this route`;
  return new DomainError('INVALID_PARAMETER', 'The body is invalid', { details });
}

function tooComplex(problem: string): DomainError {
  return new DomainError('BODY_TOO_LARGE', 'The body is too large', { details: `body: ${problem}; split it` });
}
