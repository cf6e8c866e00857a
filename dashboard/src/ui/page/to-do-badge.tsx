import { counted } from '../../format.ts';

/** How many things there are to do; nothing for 0. */
export function ToDoBadge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span class="badge warn" title={`${counted(count, 'thing')} to do`}>
      {count}
    </span>
  );
}
