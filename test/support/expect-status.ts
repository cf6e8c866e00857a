import { expect } from 'vitest';

/** Expects the status of a response from `call`, or from fastify's `inject`; a failure shows the body. */
export function expectStatus(
  response: { status: number; text: string } | { statusCode: number; body: string },
  expected: number,
): void {
  if ('status' in response) expect(response.status, response.text).toBe(expected);
  else expect(response.statusCode, response.body).toBe(expected);
}
