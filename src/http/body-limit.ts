/** The size of streamed bodies and files. It grows with the rows that the plan allows in one call. */
import { DomainError } from '../vocabulary/error.ts';
import { type Plan, PLANS } from '../vocabulary/plan.ts';

const MAX_BYTES = 2 * 1024 ** 3;
const MAX_ROW_BYTES = 64 * 1024;

/** The most bytes of a body or file, counted after decompression: 64 KiB a row of the plan, and at most 2 GiB. */
export function maxBodyBytes(plan: Plan): number {
  return Math.min(PLANS[plan].bulkImportMax * MAX_ROW_BYTES, MAX_BYTES);
}

/** The error beyond `maxBodyBytes`: PLAN_LIMIT_EXCEEDED if a larger plan takes more, else BODY_TOO_LARGE. */
export function bodyTooLarge(plan: Plan, name: 'body' | 'file'): DomainError {
  const max = maxBodyBytes(plan);
  const counted = name === 'body' ? ', counted after decompression' : '';
  if (max === MAX_BYTES) {
    const details = `${name}: at most 2 GiB${counted}; nothing was applied, split it`;
    return new DomainError('BODY_TOO_LARGE', 'The body is too large', { details });
  }
  return new DomainError('PLAN_LIMIT_EXCEEDED', `The ${name} exceeds the plan's limit`, {
    details: `${name}: the ${plan} plan takes at most ${max / 1024 ** 2} MiB${counted}; nothing was applied, split it or change the plan`,
  });
}
