/** Figures, times and texts of messages. */
import type { Text } from './message.ts';

const FIGURE = new Intl.NumberFormat('en-US');
const PERCENT = new Intl.NumberFormat('en-US', {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});

/** With separators: `1,234`. */
export const figure = (value: number): string => FIGURE.format(value);

/** `1 redirect`, `1,234 redirects` */
export const counted = (value: number, noun: string): string => `${figure(value)} ${noun}${value === 1 ? '' : 's'}`;

/** The change since a former value: `+12%`, `same as before`. */
export function changeText(value: number, before: number): string {
  if (value === before) return 'same as before';
  return before === 0 ? 'before: 0' : PERCENT.format(value / before - 1);
}

/** A moment in ISO 8601 (UTC) as `2026-12-01 08:00 UTC`. */
export const utcMinute = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** In the largest unit that it fills: `7 minutes`, `2 days`. */
export function duration(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? ['second', 1];
  return counted(Math.floor(seconds / length), unit);
}

/**
 * A template of a text: strings are of others, numbers get separators, texts are inserted.
 *
 *     text`Deployment of ${website} failed`   ['Deployment of ', { foreign: website }, ' failed']
 */
export function text(strings: TemplateStringsArray, ...values: (string | number | Text)[]): Text {
  return strings.flatMap((own, index) => {
    const before = values[index - 1];
    if (before === undefined) return [own];
    if (typeof before === 'string') return [{ foreign: before }, own];
    return typeof before === 'number' ? [figure(before), own] : [...before, own];
  });
}
