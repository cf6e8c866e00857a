import type { PlanContext } from '../../../src/redirects/rule/change.ts';
import type { RedirectFields, RedirectRow } from '../../../src/redirects/rule/redirect.ts';

export const createdAt = new Date('2030-01-01T00:00:00Z');
export const now = new Date('2030-05-15T12:00:00.500Z');

/** A locked website at revision 9. */
export const website: PlanContext & { id: number } = {
  id: 7,
  rev: 9,
  now,
  allowedTargetHosts: ['shop.example'],
};

export const fields: RedirectFields = {
  oldPath: '/a',
  newPath: '/b',
  statusCode: 301,
  isRegex: false,
  groupId: null,
  notes: null,
  environments: ['production'],
  activeFrom: null,
  activeUntil: null,
};

/** A redirect /a -> /b that is targeted at production since revision 3. */
export function redirectRow(values: Partial<RedirectRow> = {}): RedirectRow {
  const { environments: _, ...columns } = fields;
  return {
    id: 5,
    websiteId: website.id,
    key: '/a',
    ...columns,
    rev: 3,
    inProd: 3,
    inStaging: null,
    inDev: null,
    createdAt,
    updatedAt: createdAt,
    ...values,
  };
}
