import { z } from 'zod';
import { endSession, listSessions } from '../../accounts/session.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { Message, pathText } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { toSession, UserSession } from './wire.ts';

export function sessionRoutes(api: Api, { db, clock }: SurfaceDeps): void {
  api.get(
    '/auth/sessions',
    { schema: { response: { 200: z.object({ sessions: z.array(UserSession) }) } } },
    async ({ actor, session: { id: currentId } }) => {
      const sessions = await listSessions(db, actor, clock.now());
      return { sessions: sessions.map((session) => toSession(session, currentId)) };
    },
  );

  api.delete(
    '/auth/sessions/:id',
    {
      config: { role: 'viewer' },
      schema: { params: z.object({ id: pathText }), response: { 200: Message } },
    },
    async ({ actor, params }) => {
      await endSession(db, actor, params.id);
      return { message: 'Session ended' };
    },
  );
}
