import { listGroups } from '../../api/redirects.ts';
import type { GroupPage } from '../../api/client/wire.ts';
import { useAnswer } from './use-answer.ts';

const DEBOUNCE_MS = 150;
const MAX_GROUPS = 20;
/** The API's limit of the search. */
const MAX_LENGTH = 200;

/**
 * Groups of a website that match a text, while `isOn`. `isNew`: no group has exactly this name. Groups are suggestions,
 * so errors are ignored.
 */
export function useGroups(
  websiteId: number | undefined,
  text: string,
  isOn: boolean,
): { groups: GroupPage['groups']; isNew: boolean } {
  const name = text.trim();
  const isAsked = isOn && websiteId !== undefined && name.length <= MAX_LENGTH;
  const { answer, isCurrent } = useAnswer(
    isAsked ? `${websiteId} ${name}` : undefined,
    (signal) => listGroups(websiteId ?? 0, { q: name || undefined, limit: MAX_GROUPS }, signal),
    DEBOUNCE_MS,
  );
  const groups = answer?.groups ?? [];
  const isNew = answer !== undefined && isCurrent && name !== '' && groups.every(({ group_id: id }) => id !== name);
  return { groups, isNew };
}
