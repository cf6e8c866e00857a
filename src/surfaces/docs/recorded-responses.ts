/** Recorded responses of the example requests. Generated and verified by test/contract/openapi.test.ts; do not edit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export const RECORDED_FILE = join(import.meta.dirname, 'recorded-responses.json');

const Recorded = z.record(z.string(), z.object({ type: z.string(), body: z.unknown() }));
const recorded = Recorded.parse(JSON.parse(readFileSync(RECORDED_FILE, 'utf8')));

/** The response of an operation; undefined if it is too long or varies too much. `type` is its media type. */
export function recordedResponse(operationId: string): { type: string; body?: unknown } | undefined {
  return recorded[operationId];
}
