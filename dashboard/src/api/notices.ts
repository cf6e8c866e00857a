import type { NoticeChannel } from '../../../src/vocabulary/notices.ts';
import { call, type NextPage, type PageQuery } from './client/client.ts';
import type { Notice, NoticeDelivery, NoticeTest } from './client/wire.ts';

/** The editable fields of a notice. `url`: the complete one, which responses mask. */
export type NoticeFields = Pick<Notice, 'name' | 'kinds' | 'website_ids'> & {
  channel: { type: 'email'; to: string } | { type: Exclude<NoticeChannel, 'email'>; url: string };
  time_zone?: string;
};

const NOTICES = '/api/v1/notices';

const noticePath = (id: string): string => `${NOTICES}/${encodeURIComponent(id)}`;

/** The newest first; an account has at most 50. */
export const listNotices = (signal?: AbortSignal) => call<{ notices: Notice[] }>('GET', NOTICES, { signal });

export const createNotice = (body: NoticeFields) => call<{ notice: Notice }>('POST', NOTICES, { body });

export const updateNotice = (id: string, body: Partial<NoticeFields> & { is_active?: boolean }) =>
  call<{ notice: Notice }>('PUT', noticePath(id), { body });

export const deleteNotice = (id: string) => call('DELETE', noticePath(id));

/** Resolves when the channel has responded, after 30 s at most. */
export const testNotice = (id: string) => call<NoticeTest>('POST', `${noticePath(id)}/test`);

export const listMessages = (id: string, query: PageQuery, signal?: AbortSignal) =>
  call<NextPage & { deliveries: NoticeDelivery[] }>('GET', `${noticePath(id)}/deliveries`, {
    query: { ...query },
    signal,
  });
