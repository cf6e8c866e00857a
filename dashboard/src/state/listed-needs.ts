import type { Need } from '../api/client/wire.ts';
import { type HomeNeed, hostNeeds, shownLines } from './shown-needs.ts';
import { openWebsite } from './websites.ts';

/** The needs as Home lists them, without the hidden lines. A file of its own: it is loaded after the first view. */
export function listedNeeds(needs: readonly Need[]): HomeNeed[] {
  const ofHosts = hostNeeds.value.filter(({ website_id: id }) => id === String(openWebsite.value?.id));
  return shownLines([...needs, ...ofHosts]);
}
