import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listGroups } from '../../api/redirects.ts';
import type { GroupPage } from '../../api/client/wire.ts';

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
  const found = useSignal<{ name: string; groups: GroupPage['groups'] } | undefined>(undefined);
  const name = text.trim();
  useEffect(() => {
    if (!isOn || websiteId === undefined || name.length > MAX_LENGTH) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      listGroups(websiteId, { q: name || undefined, limit: MAX_GROUPS }, controller.signal).then(
        ({ groups }) => (found.value = { name, groups }),
        () => {},
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [websiteId, name, isOn]);
  const { name: foundName, groups = [] } = found.value ?? {};
  const isNew = isOn && name !== '' && foundName === name && groups.every(({ group_id }) => group_id !== name);
  return { groups, isNew };
}
