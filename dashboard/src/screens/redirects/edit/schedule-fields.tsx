import { timeZone } from '../../../format.ts';
import { DateTimeField } from '../../../ui/form/date-time-field.tsx';
import { scheduleOf, useNow } from '../../../ui/text/schedule.ts';
import type { DraftState } from './use-draft.ts';

const TIMES = [
  ['Active from', 'active_from'],
  ['Active until', 'active_until'],
] as const;

/** The times of the form of a redirect and of an edited row. */
export function ScheduleFields({ state: { draft, onChange, fieldErrors, theirs } }: { state: DraftState }) {
  const { phase, text } = scheduleOf(draft, useNow([draft]));
  return (
    <div class="schedule">
      {TIMES.map(([label, name]) => (
        <DateTimeField
          key={name}
          label={label}
          value={draft[name]}
          onChange={(time) => onChange({ [name]: time })}
          error={fieldErrors[name]}
          hint={theirs(name)}
        />
      ))}
      <p class="whole small muted">
        {phase !== 'active' && <strong>Not live now: {text}. </strong>}
        {draft.active_from === '' && draft.active_until === '' ? 'Leave both empty to redirect at any time. ' : ''}
        Times are in your time zone, {timeZone()}.
      </p>
    </div>
  );
}
