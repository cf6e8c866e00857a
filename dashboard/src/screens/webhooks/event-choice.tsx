import { EVENT_KINDS, type EventKind } from '../../../../src/vocabulary/event.ts';
import { Button } from '../../ui/button.tsx';
import { Check } from '../../ui/field.tsx';
import { EVENT_WORDS } from './labels.ts';

/** Which kinds of event a webhook is told. */
export function EventChoice({
  events,
  onChange,
  wrong,
}: {
  events: EventKind[];
  onChange: (events: EventKind[]) => void;
  wrong: string | undefined;
}) {
  const toggle = (kind: EventKind, isOn: boolean): void =>
    onChange(EVENT_KINDS.filter((each) => (each === kind ? isOn : events.includes(each))));
  const isAll = events.length === EVENT_KINDS.length;
  return (
    <fieldset class="field event-choice">
      <legend>
        Events
        <Button kind="quiet" size="small" onClick={() => onChange(isAll ? [] : [...EVENT_KINDS])}>
          {isAll ? 'Choose none' : 'Choose all'}
        </Button>
      </legend>
      {EVENT_KINDS.map((kind) => (
        <Check
          key={kind}
          label={<code>{kind}</code>}
          hint={EVENT_WORDS[kind]}
          checked={events.includes(kind)}
          onCheck={(isOn) => toggle(kind, isOn)}
        />
      ))}
      {wrong !== undefined && (
        <div class="wrong" role="alert">
          {wrong}
        </div>
      )}
    </fieldset>
  );
}
