import './moves.css';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { createMove, deleteMove, listMoves, type NewMove } from '../../api/moves.ts';
import type { MoveSummary, Website } from '../../api/client/wire.ts';
import { counted, dayOf } from '../../format.ts';
import { go } from '../../router.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { mayEdit } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FileInput } from '../../ui/file-input.tsx';
import type { ControlProps, FieldTable } from '../../ui/form/form-fields.tsx';
import { Field, SelectField } from '../../ui/form/field.tsx';
import { HostNotAllowed } from '../../ui/form/host-not-allowed.tsx';
import { ActorName } from '../../ui/list/field-changes.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { NewButton, ResourceList, ResourceScreen } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { Progress, STATE_TEXT } from './progress.tsx';

const PAGE_SIZE = 50;
const REFRESH_MS = 5_000;

/** The moves of a website, and the dialog of a new one. */
export function MovesScreen({ website }: { website: Website }) {
  const pages = usePages(
    `moves:${website.id}`,
    (cursor, signal) => listMoves(website.id, { cursor, limit: PAGE_SIZE }, signal),
    ({ moves }) => moves,
    { everyMs: REFRESH_MS },
  );
  const dialog = (close: () => void) => <NewMoveDialog website={website} onClose={close} />;
  const creation = mayEdit.value ? { label: 'New move', name: 'move', dialog } : undefined;
  return (
    <ResourceScreen
      title="Moves"
      lead="Where the pages of an old website go: suggested by Detour, decided by you, applied together."
      creation={creation}
    >
      <ResourceList
        list={pages}
        class="move-list"
        label="Moves"
        keyOf={({ id }) => id}
        keys={[{ keys: 'Enter', label: 'Open the move' }]}
        cells={(move) => <MoveCells website={website} move={move} onDeleted={pages.reload} />}
        empty={
          <Empty icon="arrow" title="No moves yet" actions={<NewButton of={creation} />}>
            Bring the list of the old URLs and that of the new pages. Nothing is redirected before you apply the move.
          </Empty>
        }
      />
    </ResourceScreen>
  );
}

function MoveCells(props: { website: Website; move: MoveSummary; onDeleted: () => void }) {
  const { website, move, onDeleted } = props;
  const isDeleting = useSignal(false);
  async function remove(): Promise<void> {
    await deleteMove(website.id, move.id);
    onDeleted();
    toast(`${move.name} is deleted`);
  }
  return (
    <>
      <div class="break">
        <a data-key="Enter" href={`/websites/${website.id}/moves/${move.id}`}>
          <strong>{move.name}</strong>
        </a>
        <div class="small muted">
          <ActorName actor={move.created_by} />, <Time at={move.created_at} />
        </div>
      </div>
      <span class="badge">{STATE_TEXT[move.state]}</span>
      <Progress move={move} />
      <span class="actions">
        {mayEdit.value && (
          <Button kind="quiet" size="small" onClick={() => (isDeleting.value = true)}>
            Delete <span class="unseen">{move.name}</span>
          </Button>
        )}
        {isDeleting.value && (
          <Confirm
            title={`Delete ${move.name}?`}
            verb="Delete"
            onConfirm={remove}
            onClose={() => (isDeleting.value = false)}
          >
            Its {counted(move.progress.decided, 'decision')} cannot be restored. What it applied stays.
          </Confirm>
        )}
      </span>
    </>
  );
}

const START: NewMove = { name: '', from: undefined, to: undefined, to_host: '', from_hosts: '' };

/** The name of a move without another one. */
const nameOfToday = (): string => `Move of ${dayOf(new Date().toISOString())}`;

const fieldsFor = (website: Website): FieldTable<NewMove> => [
  { name: 'name', label: 'Name', autofocus: true, placeholder: nameOfToday() },
  {
    name: 'from',
    control: (control) => <ListField label="Old URLs" standard="The lost URLs of this website" {...control} />,
    issues: ['from', 'body'],
  },
  {
    name: 'from_hosts',
    label: 'Hosts of the old URLs',
    isCode: true,
    placeholder: 'www.old.example',
    hint: 'Needed if they are on hosts that this website does not have. Separate them by commas.',
    isShown: ({ from }) => from !== undefined,
  },
  {
    name: 'to',
    control: (control, { to_host: host }) => (
      <ListField
        label="New pages"
        standard={host === '' ? 'The living pages of this website' : `The living pages of ${host}`}
        {...control}
      />
    ),
  },
  {
    name: 'to_host',
    control: (control) => <OtherWebsite website={website} {...control} />,
    isShown: ({ to }) => to === undefined && otherHosts(website).length > 0,
  },
];

/** The first host of each other website. */
const otherHosts = ({ id }: Website): string[] =>
  (websites.value ?? [])
    .filter((other) => other.id !== id)
    .flatMap(({ hosts }) => hosts.slice(0, 1).map((host) => host.hostname));

function OtherWebsite({ website, value, onChange, error }: ControlProps<string> & { website: Website }) {
  const { id, name, allowed_target_hosts: allowed } = website;
  const text = `${value} is not an allowed target host of ${name}`;
  return (
    <SelectField
      label="Or another website"
      value={value}
      options={[['', 'This website'], ...otherHosts(website).map((host) => [host, host] as const)]}
      onChoose={onChange}
      error={
        value === '' || allowed.includes(value) ? error : <HostNotAllowed host={value} websiteId={id} text={text} />
      }
    />
  );
}

/** A file, or what is used without one. */
function ListField({
  label,
  standard,
  value,
  onChange,
  error,
}: ControlProps<File | undefined> & Record<'label' | 'standard', string>) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Field
      {...{ label, error }}
      hint="A sitemap, a plain list, CSV, JSON, or a file of a crawler."
      control={(wired) => (
        <div class="row wrap">
          <Button {...wired} icon="file" onClick={() => input.current?.click()}>
            Choose file
          </Button>
          <span class="break">{value?.name ?? standard}</span>
          {value && (
            <Button kind="quiet" size="small" onClick={() => onChange(undefined)}>
              Remove
            </Button>
          )}
          <FileInput input={input} label={`${label}: file`} onFile={(file) => file && onChange(file)} />
        </div>
      )}
    />
  );
}

function NewMoveDialog({ website, onClose }: { website: Website; onClose: () => void }) {
  async function send(draft: NewMove): Promise<void> {
    const { move, ignored, invalid } = await createMove(website.id, {
      ...draft,
      name: draft.name.trim() || nameOfToday(),
    });
    const unused = ignored + invalid;
    if (unused > 0)
      toast(`${counted(unused, 'row is', 'rows are')} not in the move: on other hosts, or without an address`);
    go(`/websites/${website.id}/moves/${move.id}`);
  }
  return (
    <ResourceDialog
      title="New move"
      verb="Begin"
      start={START}
      fields={fieldsFor(website)}
      onSend={send}
      onClose={onClose}
    />
  );
}
