import { MAX_ACCEPTED_LOSSES } from '../../../../src/vocabulary/urls.ts';
import { changeAccepted, listAccepted } from '../../api/urls.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { toast, undoWith } from '../../state/toasts.ts';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { TERMS } from './accepted-panel.tsx';

interface Draft {
  /** stored as an entry for each URL, or as one for their folder */
  entries: 'each' | 'folder';
  reason: string;
  until: string;
}

interface Props {
  website: Website;
  urls: readonly string[];
  /** of all of them; undefined: they are not all of a folder */
  folder: string | undefined;
  onDone: () => void;
  onClose: () => void;
}

const fieldsFor = (count: number, folder: string | undefined): FieldTable<Draft> => [
  {
    name: 'entries',
    label: 'Accept',
    options: [
      ['each', 'Each of these URLs'],
      ['folder', `All of ${folder ?? ''}*`],
    ],
    hint: ({ entries }) =>
      entries === 'each'
        ? counted(count, 'entry', 'entries')
        : '1 entry, also for other URLs that the folder has lost or loses later',
    isShown: () => folder !== undefined,
  },
  ...TERMS,
];

/** Accepts lost URLs with one reason and time limit: each by itself, or all of their folder. */
export function AcceptManyDialog({ website, urls, folder, onDone, onClose }: Props) {
  const accepted = useResource(
    `accepted:${website.id}`,
    async (signal) => (await listAccepted(website.id, signal)).accepted,
  );
  const stored = new Set(accepted.data.value?.map(({ glob }) => glob));
  const globsOf = ({ entries }: Pick<Draft, 'entries'>): readonly string[] =>
    entries === 'folder' && folder !== undefined ? [`${folder}*`] : urls;
  const left = MAX_ACCEPTED_LOSSES - stored.size;
  const fits = (draft: Pick<Draft, 'entries'>): boolean =>
    globsOf(draft).filter((glob) => !stored.has(glob)).length <= left;
  const name = counted(urls.length, 'lost URL');
  async function send({ reason, until, ...draft }: Draft): Promise<void> {
    const next = globsOf(draft).map((glob) => ({ glob, reason: reason.trim(), until: until || null }));
    const undo = await changeAccepted(website.id, [], next);
    onDone();
    toast(`${name} accepted`, undoWith(undo));
  }
  return (
    <ResourceDialog<Draft>
      title={`Accept ${name}`}
      verb={`Accept ${name}`}
      start={{ entries: 'each', reason: '', until: '' }}
      fields={fieldsFor(urls.length, folder)}
      isReady={fits}
      onSend={send}
      onClose={onClose}
    >
      <ul class="diff" aria-label="Lost URLs" tabIndex={0}>
        {urls.map((url) => (
          <li key={url} class="mono break">
            {url}
          </li>
        ))}
      </ul>
      {!fits({ entries: 'each' }) && (
        <p class="small" role="status">
          The website has {number(left)} of its {number(MAX_ACCEPTED_LOSSES)} entries left, too few for {name}.{' '}
          {folder === undefined
            ? 'Accept fewer, or whole folders with * under Accepted losses.'
            : 'Accept the folder as one entry.'}
        </p>
      )}
    </ResourceDialog>
  );
}
