/** When a website is checked by itself. */
import type { CheckSchedule } from '../../api/client/wire.ts';
import { timeZone, timeZoneOptions } from '../../format.ts';
import { FieldError } from '../../ui/form/field.tsx';
import { type ControlProps, type FieldTable, FormFields } from '../../ui/form/form-fields.tsx';

const EVERY = [
  ['off', 'Never'],
  ['daily', 'Every day'],
  ['weekly', 'Every week'],
] as const;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map(
  (name, at) => [at + 1, name] as const,
);

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

const isOn = ({ every }: CheckSchedule): boolean => every !== 'off';

const fieldsOf = ({ time_zone: zone }: CheckSchedule): FieldTable<CheckSchedule> => [
  {
    name: 'every',
    label: 'Check targets',
    options: EVERY,
    hint: 'Asks every target of the redirects in production, the heaviest first.',
  },
  {
    name: 'weekday',
    label: 'Day',
    options: WEEKDAYS,
    isShown: ({ every }) => every === 'weekly',
  },
  {
    name: 'hour',
    label: 'From',
    options: Array.from({ length: 24 }, (_, hour) => [hour, hourText(hour)] as const),
    isShown: isOn,
  },
  { name: 'time_zone', label: 'Time zone', options: timeZoneOptions(zone), isShown: isOn },
];

/** The stored schedule; without one, the proposal of the form. */
export const scheduleOf = (stored: CheckSchedule | undefined): CheckSchedule =>
  stored && isOn(stored)
    ? stored
    : { every: 'off', hour: stored?.hour ?? 3, weekday: stored?.weekday ?? 1, time_zone: timeZone() };

/** `Every week, Monday 03:00, Europe/Berlin` */
export function scheduleText({ every, hour, weekday, time_zone: zone }: CheckSchedule): string {
  const [, often = every] = EVERY.find(([each]) => each === every) ?? [];
  if (every === 'off') return often;
  const day = every === 'weekly' ? `${WEEKDAYS[weekday - 1]?.[1] ?? ''} ` : '';
  return `${often}, ${day}${hourText(hour)}, ${zone}`;
}

export function ScheduleField({ value, onChange, error }: ControlProps<CheckSchedule>) {
  return (
    <>
      <FormFields
        fields={fieldsOf(value)}
        draft={value}
        onChange={(changes) => onChange({ ...value, ...changes })}
        error={undefined}
      />
      <FieldError error={error} />
    </>
  );
}
