/** Limits of one call by plan: its rows, and the bytes of a streamed body or file, which grow with them. */
import { DomainError } from './error.ts';
import { BULK_IMPORT_MAX, type Plan, PLAN_NAMES, PLANS } from './plan.ts';

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

/**
 * Returns a function that counts the rows of one pass over a body or file, its blank lines included, and throws
 * PLAN_LIMIT_EXCEEDED or TOO_MANY_REDIRECTS beyond the rows that the plan allows in one call.
 */
export function createRowCount(plan: Plan): (rows: number, blankLines?: number) => void {
  const max = PLANS[plan].bulkImportMax;
  let [total, blank] = [0, 0];
  return (rows, blankLines = 0) => {
    total += rows + blankLines;
    blank += blankLines;
    if (total > max) throw tooManyRows(plan, max, blank);
  };
}

function tooManyRows(plan: Plan, max: number, blank: number): DomainError {
  const blankLines = blank > 0 ? `; blank lines count, and ${blank.toLocaleString('en')} were read: remove them` : '';
  if (max >= BULK_IMPORT_MAX) {
    return new DomainError('TOO_MANY_REDIRECTS', 'Too many redirects', {
      details: `One call takes at most 1,000,000 redirects; nothing was applied, split it${blankLines}`,
    });
  }
  const next = PLAN_NAMES.find((name) => PLANS[name].bulkImportMax > max) ?? 'enterprise';
  return new DomainError('PLAN_LIMIT_EXCEEDED', "The call exceeds the plan's limit", {
    details: `The ${plan} plan takes ${max.toLocaleString('en')} redirects in one call; nothing was applied, split it or change to ${next}${blankLines}`,
  });
}
