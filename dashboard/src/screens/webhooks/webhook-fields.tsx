import type { ApiError } from '../../api/api-error.ts';
import type { WebhookFields as Fields } from '../../api/webhooks.ts';
import { TextField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { EventChoice } from './event-choice.tsx';

const FIELDS = ['name', 'url', 'events'];

/** Name, URL and events of a webhook, with their errors. */
export function WebhookFields({
  fields,
  onChange,
  error,
}: {
  fields: Fields;
  onChange: (fields: Fields) => void;
  error: ApiError | undefined;
}) {
  return (
    <>
      <TextField
        label="Name"
        autofocus
        value={fields.name}
        onText={(name) => onChange({ ...fields, name })}
        hint="For your reference, such as the receiving system."
        error={error?.issueOf('name')}
      />
      <TextField
        label="URL"
        isCode
        type="url"
        value={fields.url}
        onText={(url) => onChange({ ...fields, url })}
        placeholder="https://hooks.example.com/detour"
        hint="Receives each event as a POST request with a signed JSON body."
        error={error?.issueOf('url')}
      />
      <EventChoice
        events={fields.events}
        onChange={(events) => onChange({ ...fields, events })}
        error={error?.issueOf('events')}
      />
      <FormError error={error} fields={FIELDS} />
    </>
  );
}

/** True if no field is empty. The service validates the values. */
export const isFilled = ({ name, url, events }: Fields): boolean =>
  name.trim() !== '' && url.trim() !== '' && events.length > 0;
