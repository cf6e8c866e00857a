import {
  NOTICE_CHANNELS,
  NOTICE_KINDS,
  type NoticeChannel,
  type NoticeKind,
} from '../../../../src/vocabulary/notices.ts';
import type { Notice } from '../../api/client/wire.ts';
import { createNotice, updateNotice } from '../../api/notices.ts';
import { capitalized, timeZone, timeZoneOptions } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { Radios } from '../../ui/form/field.tsx';
import { type FieldTable } from '../../ui/form/form-fields.tsx';
import { ManyChoice } from '../../ui/form/many-choice.tsx';
import { WebsiteChoice } from '../../ui/form/website-choice.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { KINDS } from './kinds.ts';
import { CHANNELS, obstacleOf, URL_HINTS } from './labels.ts';

interface Draft {
  name: string;
  type: NoticeChannel;
  to: string;
  /** '' keeps the URL of an existing notice, which is a secret */
  url: string;
  kinds: NoticeKind[];
  /** null: all */
  website_ids: number[] | null;
  time_zone: string;
}

const KIND_OPTIONS = NOTICE_KINDS.map((kind) => [kind, capitalized(KINDS[kind][0]), KINDS[kind][1]] as const);

const hasDigest = ({ kinds }: { kinds: readonly NoticeKind[] }): boolean => kinds.includes('digest.weekly');

const keepsUrl = (type: NoticeChannel, before: Notice | undefined): boolean =>
  type !== 'email' && type === before?.channel.type;

/** `before`: the notice that is edited. */
const fieldsOf = (before?: Notice): FieldTable<Draft> => [
  {
    name: 'name',
    label: 'Name',
    required: true,
    autofocus: true,
    hint: 'Shown in each message, such as the team that reads it.',
  },
  {
    name: 'type',
    issues: ['channel'],
    control: ({ value, onChange }) => (
      <Radios
        legend="Channel"
        value={value}
        options={NOTICE_CHANNELS.map((type) => {
          const obstacle = obstacleOf(type);
          return [type, CHANNELS[type], obstacle, obstacle !== undefined] as const;
        })}
        onChoose={onChange}
      />
    ),
  },
  {
    name: 'to',
    label: 'Address',
    type: 'email',
    required: true,
    issues: ['channel.to'],
    isShown: ({ type }) => type === 'email',
    hint: 'Addresses that are not of a user of this account confirm by a link that they get.',
  },
  {
    name: 'url',
    label: 'URL',
    type: 'url',
    isCode: true,
    issues: ['channel.url'],
    isShown: ({ type }) => type !== 'email',
    hint: ({ type }) =>
      (keepsUrl(type, before) ? 'Leave empty to keep the URL. ' : '') + (type === 'email' ? '' : URL_HINTS[type]),
  },
  { name: 'kinds', control: (props) => <ManyChoice {...props} legend="Tells about" options={KIND_OPTIONS} /> },
  {
    name: 'time_zone',
    label: 'Time zone of the weekly digest',
    isShown: hasDigest,
    options: timeZoneOptions(before?.time_zone ?? 'UTC'),
  },
  { name: 'website_ids', control: (props) => <WebsiteChoice {...props} /> },
];

const START: Omit<Draft, 'type' | 'time_zone'> = {
  name: '',
  to: '',
  url: '',
  kinds: ['deployment.failed', 'urls.lost'],
  website_ids: null,
};

function startOf(before: Notice | undefined): Draft {
  const zone = before && hasDigest(before) ? before.time_zone : timeZone();
  if (!before) {
    const type = NOTICE_CHANNELS.find((each) => obstacleOf(each) === undefined) ?? 'email';
    return { ...START, type, time_zone: zone };
  }
  const { name, channel, kinds } = before;
  const website_ids = before.website_ids?.map(Number) ?? null;
  return { name, type: channel.type, to: channel.to ?? '', url: '', kinds, website_ids, time_zone: zone };
}

/** The channel of the request; undefined to keep that of `before`. */
function channelOf({ type, to, url }: Draft, before: Notice | undefined) {
  if (type === 'email') return to.trim() === before?.channel.to ? undefined : ({ type, to: to.trim() } as const);
  return url.trim() === '' ? undefined : ({ type, url: url.trim() } as const);
}

/** Creates a notice, or changes `before`. `onSaved` gets the result. */
export function NoticeForm(props: { before?: Notice; onSaved: (notice: Notice) => void; onClose: () => void }) {
  const { before, onSaved, onClose } = props;
  return (
    <ResourceDialog
      title={before ? 'Edit notice' : 'New notice'}
      verb={before ? 'Save' : 'Create notice'}
      start={startOf(before)}
      fields={fieldsOf(before)}
      isReady={({ type, url, kinds, website_ids: ids }) =>
        (type === 'email' || url.trim() !== '' || keepsUrl(type, before)) && kinds.length > 0 && ids?.length !== 0
      }
      onSend={async (draft) => {
        const { name, kinds } = draft;
        const website_ids = draft.website_ids?.map(String) ?? null;
        const channel = channelOf(draft, before);
        const fields = { name, kinds, website_ids, ...(hasDigest(draft) && { time_zone: draft.time_zone }) };
        if (before) {
          const { notice } = await updateNotice(before.id, { ...fields, ...(channel && { channel }) });
          toast('Saved');
          onSaved(notice);
        } else if (channel) onSaved((await createNotice({ ...fields, channel })).notice);
      }}
      onClose={onClose}
    />
  );
}
