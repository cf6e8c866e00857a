/** The result of an undo in words; apart from the texts of changes, which few screens show. */
import type { Undone } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';

/** `12 created, 3 updated`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(', ');
}

/** The result of undoing a change. Redirects that were recreated count as restored. */
export function undoneText(
  { undo: { restored, recreated, deleted, conflicts } }: Pick<Undone, 'undo'>,
  verb: 'Undone' | 'Redone' = 'Undone',
): string {
  const done = countsText({ restored: restored + recreated, deleted });
  const kept = conflicts === 0 ? '' : `${counted(conflicts, 'redirect')} left unchanged`;
  if (done === '') return kept === '' ? 'Nothing to undo' : `Nothing undone: ${kept}`;
  return `${verb}: ${[done, kept].filter(Boolean).join('; ')}`;
}
