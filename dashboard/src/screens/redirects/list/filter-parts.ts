import { STATES } from '../../../checks/states.ts';
import { dayOf } from '../../../format.ts';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import type { NO_FILTER, View } from '../view.ts';

export type Filter = View['filter'];

/** A filter that is on, its parameter of the URL, and the list without it. */
export interface Part {
  name: string;
  parameter: string;
  without: Filter;
}

const targetLabel = (state: NonNullable<Filter['target_state']>): string =>
  (state === 'broken' || state === 'unchecked' ? state : STATES[state].label).toLowerCase();

/** The search, and then the filters that are on. */
export function partsOf(filter: Filter): Part[] {
  const { q, environment, status_code: status, is_regex: isRegex, group, notes, last_hit_before: before } = filter;
  const { target_state: state, new_path_contains: target } = filter;
  const names: Partial<Record<keyof typeof NO_FILTER, string | undefined>> = {
    q: q && 'the search',
    environment: environment && ENVIRONMENT_LABEL[environment].toLowerCase(),
    status_code: status === undefined ? undefined : `status ${status}`,
    is_regex: isRegex === undefined ? undefined : isRegex ? 'patterns' : 'paths',
    group: group === '' ? 'no group' : group && `group “${group}”`,
    notes: notes && `notes “${notes}”`,
    new_path_contains: target && `targets with “${target}”`,
    schedule: filter.schedule && `schedule ${filter.schedule === 'any' ? 'of any kind' : filter.schedule}`,
    target_state: state && `target ${targetLabel(state)}`,
    not_followed: before && `unused since ${dayOf(before)}`,
  };
  return Object.entries(names).flatMap(([parameter, name]) => {
    if (name === undefined) return [];
    const dates = parameter === 'not_followed' && { last_hit_before: undefined, created_before: undefined };
    return [{ name, parameter, without: { ...filter, [parameter]: undefined, ...dates } }];
  });
}
