import { z } from 'zod';
import { requireAllWebsites } from '../../../accounts/website-scope.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import { Message } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { listNotices, requireNotice } from '../../../notices/notice.ts';
import { createNotice, deleteNotice, updateNotice, type WriteDeps } from '../../../notices/write-notice.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { NewNotice, NoticeBody, noticeBody, NoticeChange, NoticeParams } from './notice-wire.ts';

/** Access to notices: owners only, also to read, because an address or URL is of another system. */
export const READS = { role: 'owner', scope: 'read', forDashboard: true } as const;
export const CHANGES = { role: 'owner', forDashboard: true } as const;
export const TAG = 'Notices';
export const path = { id: EXAMPLE_IDS.notice };

const NoticeResponse = z.object({ notice: NoticeBody.describe('The notice.') });

/** Throws INSUFFICIENT_SCOPE or INSUFFICIENT_ROLE for a caller who is limited to websites. */
export const requireAccount = (actor: Actor): void => requireAllWebsites(actor, 'notices belong to the whole account');

/** GET, POST /api/v1/notices; GET, PUT, DELETE /api/v1/notices/{id}. */
export function noticeRoutes(api: Api, { db, clock, config, secretBox, committed }: SurfaceDeps): void {
  const writeDeps = (): WriteDeps => ({
    ...{ secretBox, egress: config.webhookEgress, sendsMail: config.mail !== null },
    ...{ publicUrl: config.publicUrl, now: clock.now() },
  });
  const errors = ['VALIDATION_ERROR', 'MAIL_NOT_CONFIGURED', 'PLAN_REQUIRED', 'URL_NOT_ALLOWED'] as const;

  api.get('/notices', {
    config: READS,
    operationId: 'listNotices',
    tag: TAG,
    summary: 'List notices',
    returns: 'All notices of the account, newest first.',
    example: {},
    response: { 200: z.object({ notices: z.array(NoticeBody).describe('The notices.') }) },
    async handler({ actor }) {
      requireAccount(actor);
      return { notices: (await listNotices(db, actor)).map(noticeBody) };
    },
  });

  api.post('/notices', {
    config: CHANGES,
    operationId: 'createNotice',
    tag: TAG,
    summary: 'Create a notice',
    description:
      'An email that is not of a user of the account gets a mail with a link, and gets no message before it is opened. Slack, Teams and Discord need a plan with webhooks.',
    returns: 'The notice.',
    errors: [...errors, 'TOO_MANY_ITEMS'],
    example: {
      body: {
        name: 'Operations',
        channel: { type: 'slack', url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
        kinds: ['deployment.failed', 'urls.lost'],
      },
    },
    body: NewNotice,
    response: { 201: NoticeResponse },
    async handler({ actor, body: { websiteIds = null, isActive = true, timeZone = 'UTC', ...body } }) {
      requireAccount(actor);
      const notice = await createNotice(db, actor, { ...body, websiteIds, isActive, timeZone }, writeDeps());
      committed();
      return { notice: noticeBody(notice) };
    },
  });

  api.get('/notices/:id', {
    config: READS,
    operationId: 'getNotice',
    tag: TAG,
    summary: 'Read a notice',
    returns: 'The notice.',
    errors: ['NOTICE_NOT_FOUND'],
    example: { path },
    params: NoticeParams,
    response: { 200: NoticeResponse },
    async handler({ actor, params }) {
      requireAccount(actor);
      return { notice: noticeBody(await requireNotice(db, actor, params.id)) };
    },
  });

  api.put('/notices/:id', {
    config: CHANGES,
    operationId: 'updateNotice',
    tag: TAG,
    summary: 'Change a notice',
    description:
      'Absent fields stay. Leave `channel` out to keep its URL, which is shown masked. A new address must confirm, and so must one that has unsubscribed.',
    returns: 'The notice.',
    errors: ['NOTICE_NOT_FOUND', ...errors],
    example: { path, body: { kinds: ['deployment.failed'] } },
    params: NoticeParams,
    body: NoticeChange,
    response: { 200: NoticeResponse },
    async handler({ actor, params, body }) {
      requireAccount(actor);
      const notice = await updateNotice(db, actor, params.id, body, writeDeps());
      committed();
      return { notice: noticeBody(notice) };
    },
  });

  api.delete('/notices/:id', {
    config: CHANGES,
    operationId: 'deleteNotice',
    tag: TAG,
    summary: 'Delete a notice',
    description: 'Also deletes its log. What waits to be sent is canceled.',
    returns: 'The notice is deleted.',
    errors: ['NOTICE_NOT_FOUND'],
    example: { path },
    params: NoticeParams,
    response: { 200: Message },
    async handler({ actor, params }) {
      requireAccount(actor);
      await deleteNotice(db, actor, params.id, clock.now());
      return { message: 'Notice deleted' };
    },
  });
}
