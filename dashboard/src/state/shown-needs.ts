/** The lines of Home: needs that are one line, and lines that are hidden in this browser until the next day. */
import { signal } from '@preact/signals';
import type { Need } from '../api/client/wire.ts';
import { readStored, writeStored } from './browser.ts';

/**
 * `is_gate`: the failing expectations also prevented the last deployment. Hosts that are not in DNS are looked up by Home
 * itself: the service stores no state of DNS.
 */
export type HomeNeed = Omit<Need, 'kind'> & { kind: Need['kind'] | 'host.not_in_dns'; is_gate?: boolean };

/** The hosts that Home has found not to be in DNS. */
export const hostNeeds = signal<readonly HomeNeed[]>([]);

const STORED = 'later';

/** Times in milliseconds until which lines are hidden, by `keyOf`. */
const hidden = signal(parse(readStored(STORED)));

function parse(text: string | undefined): Record<string, number> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, number>;
  } catch {
    return {};
  }
}

/**
 * A need that begins again is another line. The time of lost URLs is that of their last count, and that of loops is of one
 * loop: another path or number of paths makes loops another line.
 */
function keyOf({ kind, website_id: website, environment, subject_id: id, since, subject, count }: HomeNeed): string {
  const began = kind === 'loops.live' ? `${count} ${subject}` : kind === 'urls.lost' ? null : since;
  return JSON.stringify([kind, website, environment, id, began]);
}

function store(lines: Record<string, number>): void {
  hidden.value = lines;
  writeStored(STORED, Object.keys(lines).length > 0 ? JSON.stringify(lines) : undefined);
}

/** Hides a line until the next midnight of the browser. */
export function hideUntilTomorrow(need: HomeNeed, now = new Date()): void {
  const current = Object.entries(hidden.value).filter(([, until]) => until > now.getTime());
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime();
  store({ ...Object.fromEntries(current), [keyOf(need)]: tomorrow });
}

export const showHidden = (): void => store({});

export const isShown = (need: HomeNeed, now = Date.now()): boolean => (hidden.value[keyOf(need)] ?? 0) <= now;

/** The needs as lines, without the hidden ones. */
export const shownLines = (needs: readonly HomeNeed[]): HomeNeed[] =>
  withoutTwins(needs).filter((need) => isShown(need));

/** A deployment that failed because of expectations, and the expectations that fail there, are one line. */
export function withoutTwins(needs: readonly HomeNeed[]): HomeNeed[] {
  const placeOf = ({ website_id: id, environment }: HomeNeed): string => `${id} ${environment}`;
  const gates = needs.filter(({ kind, subject }) => kind === 'deployment.gated' && isOfExpectations(subject));
  const gated = new Set(gates.map(placeOf));
  const failing = needs.filter((need) => need.kind === 'expectations.failing' && gated.has(placeOf(need)));
  const twins = new Map(failing.map((need) => [placeOf(need), need]));
  return needs.flatMap((need): HomeNeed[] => {
    const twin = twins.get(placeOf(need));
    if (twin === need) return [];
    return twin && gates.includes(need) ? [{ ...twin, since: need.since, is_gate: true }] : [need];
  });
}

const isOfExpectations = (error: string | null): boolean => error?.startsWith('EXPECTATIONS_FAILED') ?? false;
