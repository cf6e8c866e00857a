import { STATES } from '../../../checks/states.ts';
import { dayOf } from '../../../format.ts';
import type { View } from '../view.ts';

export type Filter = View['filter'];

/** A filter that is on, its parameter of the URL, and the list without it. */
export interface Part {
  name: string;
  parameter: string;
  /** the words for what the filter excludes; undefined if it excludes all others */
  excluded: string | undefined;
  without: Filter;
}

const quoted = (noun: string) => (text: string) => (text === '' ? `no ${noun}` : `${noun} “${text}”`);

const STATE_NAMES: Partial<Record<string, { label: string }>> = STATES;

/** The words for a value of each filter; a filter `not_...` has those of its opposite. */
const WORDS: Partial<Record<string, (value: string) => string>> = {
  q: quoted('search'),
  environment: (name) => name,
  status_code: (code) => `status ${code}`,
  is_regex: (is) => (is === 'true' ? 'patterns' : 'paths'),
  group: quoted('group'),
  notes: quoted('notes'),
  old_path_contains: quoted('sources with'),
  new_path_contains: quoted('targets with'),
  schedule: (state) => `schedule ${state === 'any' ? 'of any kind' : state}`,
  // A state that no check gives, such as `broken`, is its own name.
  target_state: (state) => `target ${STATE_NAMES[state]?.label.toLowerCase() ?? state}`,
  last_hit_before: (day) => `unused since ${dayOf(day)}`,
  last_hit_since: (day) => `used since ${dayOf(day)}`,
  created_since: (day) => `created since ${dayOf(day)}`,
  updated_since: (day) => `changed since ${dayOf(day)}`,
};

/** The search, and then the filters that are on. */
export function partsOf(filter: Filter): Part[] {
  return Object.entries(filter).flatMap(([field, value]) => {
    const words = WORDS[field.replace(/^not_/, '')];
    if (value === undefined || !words) return [];
    const isUnused = field === 'last_hit_before';
    const texts = [value].flat().map((each) => words(String(each)));
    const text = texts.join(' or ');
    const isNot = field.startsWith('not_');
    const without = texts.map((each) => each.replace(/^(\w+) with /, '$1 without ')).join(', ');
    return {
      name: isNot ? (/_contains$/.test(field) ? without : `not ${text}`) : text,
      excluded: isNot ? text : undefined,
      parameter: isUnused ? 'not_followed' : field,
      without: { ...filter, [field]: undefined, ...(isUnused && { created_before: undefined }) },
    };
  });
}
