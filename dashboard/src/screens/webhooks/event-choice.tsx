import { EVENT_KINDS, type EventKind } from '../../../../src/vocabulary/event.ts';
import { Button } from '../../ui/button.tsx';
import { Check } from '../../ui/field.tsx';
import { EVENT_DESCRIPTIONS } from './labels.ts';

/** The event types of a webhook. */
export function EventChoice({
  events,
  onChange,
  error,
}: {
  events: EventKind[];
  onChange: (events: EventKind[]) => void;
  error: string | undefined;
}) {
  const toggle = (kind: EventKind, isOn: boolean): void =>
    onChange(EVENT_KINDS.filter((each) => (each === kind ? isOn : events.includes(each))));
  const isAll = events.length === EVENT_KINDS.length;
  return (
    <fieldset class="field event-choice">
      <legend>
        Events
        <Button kind="quiet" size="small" onClick={() => onChange(isAll ? [] : [...EVENT_KINDS])}>
          {isAll ? 'Clear all' : 'Select all'}
        </Button>
      </legend>
      {EVENT_KINDS.map((kind) => (
        <Check
          key={kind}
          label={<code>{kind}</code>}
          hint={EVENT_DESCRIPTIONS[kind]}
          checked={events.includes(kind)}
          onCheck={(isOn) => toggle(kind, isOn)}
        />
      ))}
      {error !== undefined && (
        <div class="wrong" role="alert">
          {error}
        </div>
      )}
    </fieldset>
  );
}
