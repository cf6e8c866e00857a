/** Checks the rules of an application like those of a website, and brings them into the form of the resolver. */
import { isIssue } from '../vocabulary/error.ts';
import { checkRedirect } from '../rules/check-redirect.ts';
import { readMoment } from '../rules/schedule.ts';
import { createPatternBudget } from '../resolver/patterns/cost-limit.ts';
import type { Rule } from '../resolver/rule.ts';
import type { EdgeWarning } from './types.ts';

/** Reports a problem with an option or a field. */
export type Report = (path: string, message: string) => void;

type Fields = Record<string, unknown>;

const FIELDS = ['id', 'old_path', 'new_path', 'status_code', 'is_regex', 'active_from', 'active_until'];

/** Returns the valid rules. Each problem of another one is a warning: one wrong rule must not end the application. */
export function checkRules(rules: unknown, report: Report, warn: (warning: EdgeWarning) => void): Rule[] {
  if (!Array.isArray(rules)) {
    report('rules', 'must be a list of rules such as {old_path: "/old", new_path: "/new"}');
    return [];
  }
  const checked: Rule[] = [];
  const positions = new Map<string, number>();
  const budget = createPatternBudget();
  for (const [index, value] of rules.entries()) {
    const skip: Report = (field, message) => warn({ index, field, message, rule: value });
    const rule = checkRule(value, index, skip);
    if (!rule) continue;
    const earlier = positions.get(rule.key);
    if (earlier !== undefined) skip('old_path', `is that of rules[${earlier}] too, which applies; remove one of them`);
    else if (rule.isRegex && !budget.add(rule.key)) skip('old_path', TOO_EXPENSIVE);
    else {
      positions.set(rule.key, index);
      checked.push(rule);
    }
  }
  return checked;
}

const TOO_EXPENSIVE =
  'with this pattern, the patterns take too long on some paths; begin it with more literal text, or use fewer repetitions';

function checkRule(value: unknown, index: number, report: Report): Rule | undefined {
  if (typeof value !== 'object' || value === null) {
    report('', 'must be an object such as {old_path: "/old", new_path: "/new"}');
    return undefined;
  }
  const fields: Fields = { ...value };
  let isValid = true;
  const wrong: Report = (field, message) => {
    isValid = false;
    report(field, message);
  };
  for (const name of Object.keys(fields))
    if (fields[name] !== undefined && !FIELDS.includes(name))
      wrong(name, `is not a field; the fields are ${FIELDS.join(', ')}`);
  const {
    old_path: oldPath,
    new_path: newPath = null,
    status_code: statusCode = 301,
    is_regex: isRegex = false,
  } = fields;
  if (typeof oldPath !== 'string') return (wrong('old_path', 'must be a path such as /old, or a pattern'), undefined);
  if (newPath !== null && typeof newPath !== 'string') return (wrong('new_path', 'must be a text or null'), undefined);
  if (typeof statusCode !== 'number') return (wrong('status_code', 'must be a number such as 301'), undefined);
  if (typeof isRegex !== 'boolean') return (wrong('is_regex', 'must be true or false'), undefined);
  const id = Number(fields['id'] ?? index + 1);
  if (!Number.isSafeInteger(id) || id < 1) wrong('id', 'must be a whole number above 0; omit it to count from 1');
  const activeFrom = time(fields, 'active_from', wrong);
  const activeUntil = time(fields, 'active_until', wrong);
  const { key, issues } = checkRedirect({ oldPath, newPath, statusCode, isRegex, activeFrom, activeUntil }, 'any');
  for (const { path, message } of issues) wrong(path, message);
  if (!isValid) return undefined;
  const rule: Rule = { id, key, isRegex, newPath, statusCode };
  if (activeFrom || activeUntil)
    rule.window = { from: activeFrom?.getTime() ?? null, until: activeUntil?.getTime() ?? null };
  return rule;
}

function time(fields: Fields, name: 'active_from' | 'active_until', wrong: Report): Date | null {
  const value = fields[name] ?? null;
  if (value !== null && typeof value !== 'string') {
    wrong(name, 'must be a time such as 2030-01-31T12:00:00Z, or null');
    return null;
  }
  const moment = readMoment(name, value);
  if (!isIssue(moment)) return moment ?? null;
  wrong(name, moment.message);
  return null;
}
