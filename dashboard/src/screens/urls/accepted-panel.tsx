import { useSignal } from '@preact/signals';
import { writes } from '../../api/client/client.ts';
import { changeAccepted, listAccepted } from '../../api/urls.ts';
import type { AcceptedLoss, Website } from '../../api/client/wire.ts';
import { mayEdit } from '../../state/session.ts';
import { useOnChange, useResource } from '../../state/resource/use-resource.ts';
import { toast, toastResult, undoWith } from '../../state/toasts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DateTimeField } from '../../ui/form/date-time-field.tsx';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { untilText } from './url-words.ts';

/** The globs of lost URLs that block no deployment. */
export function AcceptedPanel({ website, onClose }: { website: Website; onClose: () => void }) {
  const accepted = useResource(
    `accepted:${website.id}`,
    async (signal) => (await listAccepted(website.id, signal)).accepted,
  );
  const edited = useSignal<Partial<AcceptedLoss> | undefined>(undefined);
  useOnChange(writes.value, accepted.reload);
  function remove(loss: AcceptedLoss): void {
    const { glob } = loss;
    toastResult(changeAccepted(website.id, [glob]), {
      done: `${glob} is no longer accepted`,
      failure: 'Could not remove it',
      restore: accepted.reload,
    });
  }
  return (
    <Dialog title="Accepted losses" shape="side" onClose={onClose}>
      <div class="dialog-body fields">
        <p class="muted">Lost URLs that match one of these count apart, and no deployment fails because of them.</p>
        <ResourceList
          list={accepted}
          keys={mayEdit.value ? KEYS : []}
          class="accepted-list"
          label="Accepted losses"
          keyOf={({ glob }) => glob}
          cells={(loss) => <Cells loss={loss} onEdit={() => (edited.value = loss)} onRemove={() => remove(loss)} />}
          empty={<Empty icon="check" title="No accepted losses" />}
        />
      </div>
      <footer>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
        {mayEdit.value && (
          <Button kind="primary" icon="plus" onClick={() => (edited.value = {})}>
            Accept losses
          </Button>
        )}
      </footer>
      {edited.value && (
        <AcceptDialog website={website} start={edited.value} onClose={() => (edited.value = undefined)} />
      )}
    </Dialog>
  );
}

const KEYS = [
  { keys: 'Enter', label: 'Edit the accepted loss' },
  { keys: 'Delete', label: 'Remove it' },
];

function Cells({ loss, onEdit, onRemove }: { loss: AcceptedLoss; onEdit: () => void; onRemove: () => void }) {
  const { glob, reason, until } = loss;
  return (
    <>
      <span class="mono break">{glob}</span>
      {mayEdit.value && (
        <span class="actions">
          <Button size="small" data-key="Enter" aria-label={`Edit: ${glob}`} onClick={onEdit}>
            Edit
          </Button>
          <IconButton size="small" icon="trash" data-key="Delete" label={`Remove: ${glob}`} onClick={onRemove} />
        </span>
      )}
      <span class="row-facts small muted whole break">
        {reason !== '' && <span>{reason}</span>}
        <span>{untilText(until)}</span>
      </span>
    </>
  );
}

/** `until`: '' for no end. */
type Draft = Record<keyof AcceptedLoss, string>;

/** The reason and the time limit of accepted losses. */
export const TERMS: FieldTable<Pick<Draft, 'reason' | 'until'>> = [
  { name: 'reason', label: 'Reason', hint: 'Optional. Others see it under Accepted losses.' },
  {
    name: 'until',
    label: 'Until',
    control: ({ value, onChange, error }) => (
      <DateTimeField label="Until" hint="Optional. Afterwards they are lost again." {...{ value, onChange, error }} />
    ),
  },
];

const FIELDS: FieldTable<Draft> = [
  {
    name: 'glob',
    label: 'URLs',
    isCode: true,
    required: true,
    autofocus: true,
    placeholder: '/events/2019/*',
    hint: 'A URL, or several with *, which stands for any text, also with slashes.',
  },
  ...TERMS,
];

/** Accepts lost URLs, or changes what is accepted: `start` with a glob that is in the list. */
export function AcceptDialog(props: { website: Website; start: Partial<AcceptedLoss>; onClose: () => void }) {
  const { website, start, onClose } = props;
  async function send({ glob, reason, until }: Draft): Promise<void> {
    const next = { glob: glob.trim(), reason: reason.trim(), until: until || null };
    const undo = await changeAccepted(website.id, start.glob === undefined ? [] : [start.glob], [next]);
    toast(`${next.glob} accepted`, undoWith(undo));
  }
  return (
    <ResourceDialog
      title="Accept losses"
      verb="Accept"
      start={{ glob: start.glob ?? '', reason: start.reason ?? '', until: start.until ?? '' }}
      fields={FIELDS}
      onSend={send}
      onClose={onClose}
    />
  );
}
