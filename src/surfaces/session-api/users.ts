import { z } from 'zod';
import { addUser, listUsers, removeUser } from '../../accounts/user.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, Message, pathId } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { AccountUser, Role, toUser } from './wire.ts';

const UserPath = z.object({ id: pathId('USER_NOT_FOUND', 'User') });
const NewUser = bodyObject({ email: z.string(), role: Role, password: z.string() });

export function userRoutes(api: Api, { db }: SurfaceDeps): void {
  api.get(
    '/users',
    { config: { role: 'owner' }, schema: { response: { 200: z.object({ users: z.array(AccountUser) }) } } },
    async ({ actor }) => ({ users: (await listUsers(db, actor)).map(toUser) }),
  );

  api.post(
    '/users',
    {
      config: { role: 'owner' },
      schema: { body: NewUser, response: { 201: z.object({ user: AccountUser }) } },
    },
    async ({ actor, body }, reply) => reply.code(201).send({ user: toUser(await addUser(db, actor, body)) }),
  );

  api.delete(
    '/users/:id',
    { config: { role: 'owner' }, schema: { params: UserPath, response: { 200: Message } } },
    async ({ actor, params }) => {
      await removeUser(db, actor, params.id);
      return { message: 'User removed' };
    },
  );
}
