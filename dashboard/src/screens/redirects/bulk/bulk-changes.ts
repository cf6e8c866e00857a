/** The body of a bulk edit, and the texts about its effect. */
import type { Environment } from '../../../../../src/vocabulary/environment.ts';
import type { BulkChange, BulkEffect, BulkProblem } from '../../../api/redirects.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { capitalized, counted } from '../../../format.ts';
import { environmentsOf } from '../view.ts';

export type EnvironmentChoice = '' | 'add' | 'remove';

const FIELDS = { add: 'add_environments', remove: 'remove_environments' } as const;

const listed = (updates: BulkChange, choice: 'add' | 'remove'): Environment[] =>
  environmentsOf({ target_environments: updates[FIELDS[choice]] ?? '' });

export function environmentChoice(updates: BulkChange, environment: Environment): EnvironmentChoice {
  if (listed(updates, 'add').includes(environment)) return 'add';
  return listed(updates, 'remove').includes(environment) ? 'remove' : '';
}

/** The updates with another choice for one environment; without the fields that are empty then. */
export function withEnvironment(updates: BulkChange, environment: Environment, choice: EnvironmentChoice): BulkChange {
  const { add_environments: _add, remove_environments: _remove, ...next } = updates;
  for (const each of ['add', 'remove'] as const) {
    const others = listed(updates, each).filter((other) => other !== environment);
    const chosen = choice === each ? [...others, environment] : others;
    if (chosen.length > 0) Object.assign(next, { [FIELDS[each]]: chosen.join(',') });
  }
  return next;
}

/** True if something is chosen, and the text to find is not empty. */
export const isComplete = (updates: BulkChange): boolean =>
  Object.keys(updates).length > 0 &&
  updates.replace_in_new_path?.find !== '' &&
  updates.replace_in_old_path?.find !== '';

/** The new values that a row can show before it is loaded again. An empty label is stored as null. */
export function shownValues({ group_id: group, notes, status_code: status, ...window }: BulkChange): Partial<Redirect> {
  const { active_from: from, active_until: until } = window;
  return {
    ...(from !== undefined && { active_from: from }),
    ...(until !== undefined && { active_until: until }),
    ...(group !== undefined && { group_id: group?.trim() || null }),
    ...(notes !== undefined && { notes: notes?.trim() || null }),
    ...(status !== undefined && { status_code: status }),
  };
}

/** One sentence for each number of the effect. `updates`: why redirects stay as they are; undefined: another change. */
export function effectLines({ changed, unchanged, invalid }: BulkEffect, updates: BulkChange = {}): string[] {
  const { replace_in_new_path: inTarget, replace_in_old_path: inSource } = updates;
  const replace = Object.keys(updates).length === 1 ? (inTarget ?? inSource) : undefined;
  const place = inTarget ? 'target' : 'source';
  return [
    changed > 0 && `${counted(changed, 'redirect')} will change.`,
    unchanged > 0 &&
      (replace
        ? `${counted(unchanged, `${place} does`, `${place}s do`)} not contain “${replace.find}”.`
        : `${counted(unchanged, 'redirect has', 'redirects have')} these values already.`),
    invalid > 0 && `${counted(invalid, 'redirect')} cannot change.`,
  ].filter((line) => line !== false);
}

/** `2 redirects updated; 1 redirect left unchanged`. */
export function resultText({ changed, invalid }: BulkEffect): string {
  const done = `${counted(changed, 'redirect')} updated`;
  return invalid === 0 ? done : `${done}; ${counted(invalid, 'redirect')} left unchanged`;
}

/** The label of the button. */
export function verbOf(effect: BulkEffect | undefined, name: string): string {
  if (!effect) return `Update ${name}`;
  if (effect.invalid === 0) return `Update ${counted(effect.changed, 'redirect')}`;
  return effect.changed === 0 ? 'Change the others' : `Change the others (${counted(effect.changed, 'redirect')})`;
}

/** The reason in words. */
export function reasonOf({ code, message }: BulkProblem): string {
  if (code === 'TARGET_REQUIRED') return 'They have no target, which this status needs.';
  if (code === 'REDIRECT_LOOP') return 'They would redirect to themselves.';
  if (code === 'TARGET_HOST_NOT_ALLOWED') return 'The host of the new target is not allowed in Settings.';
  if (code === 'CONFLICT') return 'Another redirect has or had the new path.';
  if (code === 'TOO_LONG') return 'A value would be too long.';
  return capitalized(message);
}
