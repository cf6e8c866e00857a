/** The filters of the audit log, in the URL. Days are those of the user's time zone, as in the list. */
import { AUDIT_ACTIONS } from '../../../../src/vocabulary/audit.ts';
import type { AuditFilter } from '../../api/changes.ts';
import { query, setQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { QueryDays, startOfDay } from '../../ui/form/query-days.tsx';
import { QuerySelect } from '../../ui/form/query-fields.tsx';
import { TextFilter } from '../../ui/form/text-filter.tsx';
import { FilterBar } from '../../ui/page/folded.tsx';
import { labelOf } from './audit-text.ts';

const ACTIONS = AUDIT_ACTIONS.map((each) => [each, labelOf(each)] as const).toSorted(([, a], [, b]) =>
  a.localeCompare(b),
);
const NAMES = ['actor', 'action', 'since', 'until'] as const;
/** The name of `system` in the list. */
const OPERATOR = 'Operator';

/** The filter that the URL has. Unknown actions and days are ignored. */
export function auditFilterIn(parameters: URLSearchParams): AuditFilter {
  const [actor, action] = ['actor', 'action'].map((name) => parameters.get(name) ?? undefined);
  return {
    action: AUDIT_ACTIONS.find((each) => each === action),
    actor: actor === OPERATOR ? 'system' : actor,
    since: startOfDay(parameters.get('since')),
    until: startOfDay(parameters.get('until'), 1),
  };
}

export const isFiltered = (filter: AuditFilter): boolean => Object.values(filter).some((value) => value !== undefined);

export const clearFilters = (): void => setQuery(Object.fromEntries(NAMES.map((name) => [name, undefined])));

/** `people`: names to choose from. */
export function AuditFilters({ people }: { people: readonly string[] }) {
  const filter = auditFilterIn(query.value);
  return (
    <FilterBar names={NAMES}>
      <TextFilter
        label="Person or API key"
        value={query.value.get('actor') ?? ''}
        choices={[...people, OPERATOR]}
        onEnter={(actor) => setQuery({ actor })}
      />
      <QuerySelect
        label="Action"
        name="action"
        value={filter.action ?? ''}
        options={[['', 'Any action'], ...ACTIONS]}
      />
      <QueryDays />
      {isFiltered(filter) && (
        <Button kind="quiet" icon="close" onClick={clearFilters}>
          Clear filters
        </Button>
      )}
    </FilterBar>
  );
}
