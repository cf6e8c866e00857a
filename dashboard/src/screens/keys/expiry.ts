/** How long a new key counts: the choices of the form, and the moment that each means. */
export const LIFETIMES = [
  ['never', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['day', 'On a day that I choose'],
] as const;

export type Lifetime = (typeof LIFETIMES)[number][0];

const DAY_MS = 24 * 3_600_000;

/** The `expires_at` of a choice; of a chosen day its end, where the reader is. Null: never. */
export function expiryOf(lifetime: Lifetime, day: string, now: number = Date.now()): string | null {
  if (lifetime === 'never') return null;
  return wholeSeconds(
    lifetime === 'day' ? new Date(`${day}T23:59:59`) : new Date(now + Number(lifetime) * DAY_MS),
  );
}

const wholeSeconds = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
