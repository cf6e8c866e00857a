/** What of the list is shown, kept in the address so that a link shows the same. */
import { type Environment, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { isStatusCode } from '../../../../src/vocabulary/status-code.ts';
import type { RedirectFilter } from '../../api/redirects.ts';

export const SORTS = [
  ['-id', 'Newest first'],
  ['id', 'Oldest first'],
  ['old_path', 'Path, A to Z'],
  ['-old_path', 'Path, Z to A'],
  ['-updated_at', 'Last changed first'],
] as const;

export type Sort = (typeof SORTS)[number][0];

export interface View {
  filter: RedirectFilter;
  sort: Sort;
}

/** The view of an address. A value that means nothing is left out, as in a link that somebody shortened. */
export function viewOf(websiteId: number, query: URLSearchParams): View {
  const environment = query.get('environment') ?? '';
  const status = Number(query.get('status_code'));
  const isRegex = query.get('is_regex');
  return {
    filter: {
      website_id: websiteId,
      q: query.get('q') || undefined,
      environment: isEnvironment(environment) ? environment : undefined,
      status_code: isStatusCode(status) ? status : undefined,
      is_regex: isRegex === 'true' ? true : isRegex === 'false' ? false : undefined,
      group: query.get('group') ?? undefined,
    },
    sort: SORTS.find(([value]) => value === query.get('sort'))?.[0] ?? '-id',
  };
}

/** True where the view is narrower than all redirects of the website. */
export function isFiltered({ filter }: View): boolean {
  return Object.entries(filter).some(([name, value]) => name !== 'website_id' && value !== undefined);
}

export const NO_FILTER = {
  q: undefined,
  environment: undefined,
  status_code: undefined,
  is_regex: undefined,
  group: undefined,
};

/** The environments of a redirect, from the comma string that the service writes. */
export function environmentsOf({
  target_environments: list,
}: {
  target_environments: string;
}): Environment[] {
  return list.split(',').filter(isEnvironment);
}
