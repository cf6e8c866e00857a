import { z } from 'zod';
import { bodyObject, component, MAX_ID, name, opaqueId, timeZoneName, Timestamp } from '../../../http/wire/fields.ts';
import type { Notice } from '../../../notices/notice.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { NOTICE_CHANNELS, NOTICE_KINDS, NOTICE_STATUSES } from '../../../vocabulary/notices.ts';

export const NoticeParams = z.object({
  id: opaqueId('NOTICE_NOT_FOUND', 'Notice').describe('The id of the notice, `ntc_...`.'),
});

const [, ...CHATS] = NOTICE_CHANNELS;

const kinds = z
  .array(z.enum(NOTICE_KINDS))
  .min(1)
  .max(NOTICE_KINDS.length)
  .refine((list) => new Set(list).size === list.length, 'must name each kind once')
  .describe('What it tells, each kind once; docs/notices.md explains them.');
const isActive = z.boolean().describe('Whether it sends. Default true.');
const timeZone = timeZoneName.describe(
  'The IANA time zone of the weekly digest, which is sent on Monday at 08:00. Default `UTC`.',
);
const WEBSITE_IDS = 'The websites that it is about; null for all, later ones too. Default null.';
/** A string as in every route below `/api/v1`; the integer that earlier releases took stays valid. */
const givenId = z.codec(
  z.union([z.string().regex(/^[1-9]\d{0,9}$/, 'is not the id of a website'), z.int()]),
  z.int().max(MAX_ID, 'is not the id of a website'),
  { decode: Number, encode: String },
);
const givenIds = z.array(givenId).max(1_000).nullable().describe(WEBSITE_IDS);

const channel = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('email'),
      to: z.string().describe('The address: of a user of the account, or one that confirms by a link in a mail to it.'),
    }),
    z.strictObject({
      type: z.enum(CHATS),
      url: z.string().describe('The URL of an incoming webhook of Slack or Discord, or of a Workflow of Teams.'),
    }),
  ])
  .describe('Where it sends.');

export const NoticeBody = component('Notice', {
  id: z.string().describe('The id, `ntc_...`.'),
  name: z.string().describe('The name, 1 to 200 characters.'),
  channel: z
    .object({
      type: z.enum(NOTICE_CHANNELS).describe('The kind of channel.'),
      to: z.string().optional().describe('The address of an email.'),
      url: z.string().optional().describe('The URL of a chat, masked: it is a secret.'),
    })
    .describe('Where it sends.'),
  kinds,
  website_ids: z.array(keyDialect.id).nullable().describe(WEBSITE_IDS),
  is_active: isActive,
  status: z
    .enum(NOTICE_STATUSES)
    .describe(
      '`unconfirmed`: the address has not confirmed yet. `unsubscribed`: it wants no mail. `failing`: nothing arrived for 8 days, or the URL is gone; set `is_active` to try again.',
    ),
  time_zone: timeZone,
  last_success_at: Timestamp.nullable().describe('When a message last arrived; null for never.'),
  failing_since: Timestamp.nullable().describe('The time of the first failure since then; null without one.'),
  test_failed_at: Timestamp.nullable().describe('When its last message was a test that failed; otherwise null.'),
  created_at: Timestamp.describe('When it was created.'),
  updated_at: Timestamp.describe('When it was last changed.'),
});

const fields = { name, channel, kinds };
const options = { website_ids: givenIds, is_active: isActive, time_zone: timeZone };
const readOnly = Object.keys(NoticeBody.shape).filter((field) => !Object.hasOwn({ ...fields, ...options }, field));

export const NewNotice = bodyObject({ ...fields, ...z.object(options).partial().shape }, { readOnly });
export const NoticeChange = bodyObject(z.object({ ...fields, ...options }).partial().shape, {
  readOnly,
  atLeastOne: true,
});

export function noticeBody({ channel: type, address, ...notice }: Notice) {
  return { ...notice, channel: type === 'email' ? { type, to: address } : { type, url: address } };
}
