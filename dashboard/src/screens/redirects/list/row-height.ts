/** The height of the list's rows: a choice of the user, remembered in this browser. Narrow pages have taller rows. */
import { computed, signal } from '@preact/signals';
import { readStored, writeStored } from '../../../state/browser.ts';
import { media } from '../../../ui/list/viewport.ts';

const NARROW_ROW_PX = 68;
const COMFORTABLE_ROW_PX = 44;
const COMPACT_ROW_PX = 36;
const COMPACT = 'compact';
const STORED = 'detour.rows';

export const isNarrow = media('(width < 720px)');

export const isCompact = signal(readStored(STORED) === COMPACT);

export function setCompact(next: boolean): void {
  isCompact.value = next;
  writeStored(STORED, next ? COMPACT : undefined);
}

/** In pixels. */
export const rowHeight = computed(() => {
  if (isNarrow.value) return NARROW_ROW_PX;
  return isCompact.value ? COMPACT_ROW_PX : COMFORTABLE_ROW_PX;
});
