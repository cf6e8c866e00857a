import { describe, expect, test } from 'vitest';
import { requirePlan, requireRole } from '../../src/accounts/permissions.ts';
import { type Actor, ROLES, type Role } from '../../src/vocabulary/actor.ts';
import { PLAN_NAMES, type Plan } from '../../src/vocabulary/plan.ts';

const actor = (more: Partial<Actor>): Actor => ({
  accountId: 1,
  plan: 'pro',
  type: 'user',
  id: '1',
  name: 'x',
  role: null,
  scope: null,
  ...more,
});

const outcome = (work: () => void): string => {
  try {
    work();
    return 'allowed';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'not our error';
  }
};

describe('requireRole', () => {
  const rank: Record<Role, number> = { viewer: 0, editor: 1, owner: 2 };
  const cases = ROLES.flatMap((has) => ROLES.map((needs) => [has, needs] as const));
  test.each(cases)('a user with the role %s calls what requires %s', (has, needs) => {
    const expected = rank[has] >= rank[needs] ? 'allowed' : 'INSUFFICIENT_ROLE';
    expect(outcome(() => requireRole(actor({ role: has }), needs))).toBe(expected);
  });

  test.each(ROLES)('a write key may call what requires %s', (needs) => {
    expect(outcome(() => requireRole(actor({ type: 'key', scope: 'write' }), needs))).toBe('allowed');
  });

  test('a read key reads and nothing more', () => {
    const key = actor({ type: 'key', scope: 'read' });
    expect(ROLES.map((needs) => outcome(() => requireRole(key, needs)))).toEqual([
      'INSUFFICIENT_SCOPE',
      'INSUFFICIENT_SCOPE',
      'allowed',
    ]);
  });

  test.each(ROLES)('the system may call what requires %s', (needs) => {
    expect(outcome(() => requireRole(actor({ type: 'system' }), needs))).toBe('allowed');
  });
});

describe('requirePlan', () => {
  const allowed = (feature: 'apiAccess' | 'analytics' | 'webhooks'): Plan[] =>
    PLAN_NAMES.filter((plan) => outcome(() => requirePlan(actor({ plan }), feature)) === 'allowed');

  test('API access and analytics require pro, webhooks require business', () => {
    expect(allowed('apiAccess')).toEqual(['pro', 'business', 'enterprise']);
    expect(allowed('analytics')).toEqual(['pro', 'business', 'enterprise']);
    expect(allowed('webhooks')).toEqual(['business', 'enterprise']);
  });

  test('the error names the required plan', () => {
    expect(() => requirePlan(actor({ plan: 'free' }), 'webhooks')).toThrow(
      expect.objectContaining({ code: 'PLAN_REQUIRED', details: expect.stringContaining('business') }),
    );
  });
});
