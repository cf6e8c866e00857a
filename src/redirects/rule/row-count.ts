import { DomainError } from '../../vocabulary/error.ts';
import { BULK_IMPORT_MAX, type Plan, PLAN_NAMES, PLANS } from '../../vocabulary/plan.ts';

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
