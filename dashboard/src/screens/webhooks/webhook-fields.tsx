import type { ApiError } from '../../api/api-error.ts';
import type { WebhookFields as Fields } from '../../api/webhooks.ts';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { EventChoice } from './event-choice.tsx';

const SHOWN = new Set(['name', 'url', 'events']);

/** Name, address and events, with what is wrong at each. */
export function WebhookFields({
  fields,
  onChange,
  error,
}: {
  fields: Fields;
  onChange: (fields: Fields) => void;
  error: ApiError | undefined;
}) {
  const isByField = error && error.issues.length > 0 && error.issues.every(({ path }) => SHOWN.has(path));
  return (
    <>
      <TextField
        label="Name"
        autofocus
        value={fields.name}
        onText={(name) => onChange({ ...fields, name })}
        hint="For yourselves, such as the system that listens."
        wrong={error?.issueOf('name')}
      />
      <TextField
        label="Address"
        isCode
        type="url"
        value={fields.url}
        onText={(url) => onChange({ ...fields, url })}
        placeholder="https://hooks.example.com/detour"
        hint="Each event is sent there as a POST with a signed JSON body."
        wrong={error?.issueOf('url')}
      />
      <EventChoice
        events={fields.events}
        onChange={(events) => onChange({ ...fields, events })}
        wrong={error?.issueOf('events')}
      />
      {error && !isByField && <Problem error={error} />}
    </>
  );
}

/** True once there is something in each field; what it is, the service judges. */
export const isFilled = ({ name, url, events }: Fields): boolean =>
  name.trim() !== '' && url.trim() !== '' && events.length > 0;
