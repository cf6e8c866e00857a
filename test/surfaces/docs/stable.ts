/** Replaces random ids and current times in responses by fixed ones, and back, so that every run records the same. */
import { createHash } from 'node:crypto';

const DAY_MS = 86_400_000;
const SHOWN_DAY = '2026-11-21';
const SHOWN_YESTERDAY = '2026-11-20';
const SHOWN_TIME = `${SHOWN_DAY}T13:10:40Z`;
const SHOWN_LATER = '2026-12-21T13:10:40Z';

const RANDOM =
  /(?:chg|dep|imp|exp|key|ses|wh|inv|ntc)_[0-9A-Za-z]{22}|dtr_[0-9A-Za-z]{49}|whsec_[0-9A-Za-z+/=]{44}|[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const DAY = /\d{4}-\d\d-\d\d/g;
const DAY_OR_TIME = /\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(?:\.\d{3})?Z)?/g;

export interface Stable {
  /** shows this real value as `shown` */
  pair(real: string, shown: string): void;
  /** a request of the reference with the real values of this demo */
  real(text: string): string;
  /** a response of this demo as the reference shows it */
  shown(text: string): string;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

export function createStable(now: Date): Stable {
  const shownAs = new Map<string, string>();
  const [today, yesterday] = [dayOf(now.getTime()), dayOf(now.getTime() - DAY_MS)];
  // Each day is replaced once: on the day after the one that is shown, yesterday is the name of today.
  const realDays = new Map([
    [SHOWN_DAY, today],
    [SHOWN_YESTERDAY, yesterday],
  ]);
  const shownDays = new Map([...realDays].map(([shown, real]) => [real, shown]));
  const shownTime = (time: string): string =>
    Date.parse(time) > now.getTime() + DAY_MS / 2 ? SHOWN_LATER : SHOWN_TIME;
  const invented = (real: string): string => {
    const known = shownAs.get(real);
    if (known !== undefined) return known;
    const letters = createHash('sha512')
      .update(`${shownAs.size}`)
      .digest('base64')
      .replace(/[^0-9A-Za-z]/g, 'x');
    const hex = createHash('sha512').update(`${shownAs.size}`).digest('hex');
    const [, prefix = ''] = /^([a-z]+_)/.exec(real) ?? [];
    // A secret is base64 of 32 bytes; a UUID contains its version.
    const made = prefix
      ? prefix + letters.slice(0, real.length - prefix.length)
      : `019aa6c4-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
    shownAs.set(real, made);
    return made;
  };
  return {
    pair: (real, shown) => void shownAs.set(real, shown),
    real(text) {
      let result = text.replace(DAY, (day) => realDays.get(day) ?? day);
      for (const [real, shown] of shownAs) result = result.replaceAll(shown, real);
      return result;
    },
    shown(text) {
      let result = text.replace(RANDOM, invented);
      for (const [real, shown] of shownAs) result = result.replaceAll(real, shown);
      return result
        .replace(DAY_OR_TIME, (day, time) => (time ? shownTime(day) : (shownDays.get(day) ?? day)))
        .replace(
          /detour-verification=[0-9a-f]{40}/g,
          `detour-verification=${'0123456789abcdef'.repeat(3).slice(0, 40)}`,
        )
        .replace(/"processing_time":"[\d.]+s"/g, '"processing_time":"0.12s"')
        .replace(/"avg_response_time":"[\d.]+ms"/g, '"avg_response_time":"0.04ms"')
        .replace(/\b[A-Z2-7]{32}\b/g, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
        .replace(/"[a-z2-9]{4}(?:-[a-z2-9]{4}){3}"/g, '"h7kq-2mzx-w9tc-pr4d"')
        .replace(/"key_end":"[0-9A-Za-z]{4}"/g, '"key_end":"kZDB"')
        .replace(/(?<=download_token=)[\w-]{43}/g, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXPJBSWY3DPEHP')
        .replace(/"duration_ms":\d+/g, '"duration_ms":3');
    },
  };
}
