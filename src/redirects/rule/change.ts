/**
 * What a change does to one redirect: pure, so that single and bulk updates, imports and restores all say the same.
 */
import type { Pattern } from '../../resolver/pattern.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { Issue } from '../../vocabulary/error.ts';
import { omitUndefined } from '../../vocabulary/omit-undefined.ts';
import { checkRedirect } from './check-redirect.ts';
import { environmentsOf, type RedirectFields, type RedirectRow } from './redirect.ts';
import { checkLabels } from './text.ts';

export type RedirectChange = { [K in keyof RedirectFields]?: RedirectFields[K] | undefined };

export interface PlannedChange {
  row: RedirectRow;
  /** fields whose value is another one than before; none: the write changes nothing */
  changed: (keyof RedirectFields)[];
  /** environments whose rules the change touches */
  touched: Environment[];
  /** set where the rule has become another pattern */
  newPattern: Pattern | null;
  /** environments in which the change may have closed a loop */
  mayLoopIn: Environment[];
  issues: Issue[];
}

/** The row after the change at revision `rev`; the row means nothing where there are issues. */
export function planChange(
  before: RedirectRow,
  change: RedirectChange,
  website: { rev: number; now: Date; allowedTargetHosts: readonly string[] },
): PlannedChange {
  const environments = environmentsOf(before);
  const was: RedirectFields = { ...fieldsOf(before), environments };
  const will: RedirectFields = { ...was, ...omitUndefined(change) };
  const changed = FIELDS.filter(
    (field) => String(was[field]) !== String(will[field]) || isNullChange(was[field], will[field]),
  );
  const unchanged = { row: before, changed, touched: [], newPattern: null, mayLoopIn: [], issues: [] };
  if (changed.length === 0) return unchanged;

  const issues = checkLabels(will.groupId, will.notes);
  let key = before.key;
  let newPattern: Pattern | null = null;
  if (changed.some((field) => CHECKED.has(field))) {
    const checked = checkRedirect(will, website.allowedTargetHosts);
    issues.push(...checked.issues);
    key = checked.key;
    if (checked.pattern && (!was.isRegex || was.oldPath !== will.oldPath)) newPattern = checked.pattern;
  }
  if (issues.length > 0) return { ...unchanged, issues };

  const ruleChanged =
    key !== before.key ||
    changed.some((field) => field === 'newPath' || field === 'statusCode' || field === 'isRegex');
  const retargeted = changed.includes('environments');
  const since = sinceRevision(will.environments, website.rev, ruleChanged ? undefined : before);
  return {
    row: {
      ...before,
      ...fieldsOf({ ...before, ...will }),
      key,
      ...since,
      rev: ruleChanged || retargeted ? website.rev : before.rev,
      updatedAt: website.now,
    },
    changed,
    touched: touchedBy(environments, will.environments, ruleChanged),
    newPattern,
    mayLoopIn: leadsElsewhere(was, will)
      ? [...will.environments]
      : will.environments.filter((at) => !environments.includes(at)),
    issues,
  };
}

const FIELDS: (keyof RedirectFields)[] = [
  'oldPath',
  'newPath',
  'statusCode',
  'isRegex',
  'groupId',
  'notes',
  'environments',
];
const CHECKED = new Set<keyof RedirectFields>(['oldPath', 'newPath', 'statusCode', 'isRegex']);

function fieldsOf(row: Omit<RedirectFields, 'environments'>): Omit<RedirectFields, 'environments'> {
  const { oldPath, newPath, statusCode, isRegex, groupId, notes } = row;
  return { oldPath, newPath, statusCode, isRegex, groupId, notes };
}

/** The texts 'null' and null are not the same. */
function isNullChange(was: unknown, will: unknown): boolean {
  return (was === null) !== (will === null);
}

/** Another permanence of the same hop closes nothing; a loop that the redirect is part of already is not closed by this change. */
function leadsElsewhere(was: RedirectFields, will: RedirectFields): boolean {
  return was.oldPath !== will.oldPath || was.newPath !== will.newPath || was.isRegex !== will.isRegex;
}

function touchedBy(was: Environment[], will: readonly Environment[], ruleChanged: boolean): Environment[] {
  return ENVIRONMENTS.filter((environment) => {
    const [before, after] = [was.includes(environment), will.includes(environment)];
    return ruleChanged ? before || after : before !== after;
  });
}

/** The in_x columns of a rule: targeted since `rev`, but where `before` says since when it has been so unchanged. */
export function sinceRevision(
  environments: readonly Environment[],
  rev: number,
  before: { inProd: number | null; inStaging: number | null; inDev: number | null } = NOT_TARGETED,
): { inProd: number | null; inStaging: number | null; inDev: number | null } {
  const since = (environment: Environment, was: number | null): number | null =>
    environments.includes(environment) ? (was ?? rev) : null;
  return {
    inProd: since('production', before.inProd),
    inStaging: since('staging', before.inStaging),
    inDev: since('development', before.inDev),
  };
}

const NOT_TARGETED = { inProd: null, inStaging: null, inDev: null };
