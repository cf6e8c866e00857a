import { createAccount, setPlan } from '../accounts/account.ts';
import { createServiceHosts } from '../websites/service-hosts.ts';
import { createWebsite } from '../websites/store.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../accounts/api-key.ts';
import { createPasswordReset } from '../accounts/invitation.ts';
import { generatePassword } from '../accounts/sign-in/password.ts';
import { systemActorByEmail, systemActorByKey } from '../accounts/system-actor.ts';
import { addUser, setPassword, type User } from '../accounts/user.ts';
import { resolve } from 'node:path';
import { announceSite } from '../deployments/live/change-listener.ts';
import { deleteAccount } from '../websites/delete-account.ts';
import { exportAccount } from './export-account.ts';
import { migrate } from '../db/migrate.ts';
import { DAY_MS, isoSeconds, systemClock } from '../platform/clock.ts';
import { ROLES, SCOPES } from '../vocabulary/actor.ts';
import { PLAN_NAMES } from '../vocabulary/plan.ts';
import { keptSecretKey } from '../platform/config/data-dir.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { discardUnreadable, rotateSecrets } from './rotate-secrets.ts';
import { type Command, type Flag, type Flags, UsageError } from './command.ts';

const MAX_DAYS = 36_500;

const required = (value: string): Flag => ({ value, required: true });
const optional = (value: string): Flag => ({ value, required: false });
const oneOf = (choices: readonly string[]): Flag => ({ value: choices.join('|'), required: true, choices });

const UNREADABLE = ['keep', 'discard'] as const;
const UNREADABLE_HELP =
  ': set SECRET_KEY and SECRET_KEY_PREVIOUS to the keys that the service had, or add --unreadable keep';

export const COMMANDS: Record<string, Command> = {
  'account create': {
    flags: { email: required('E'), plan: oneOf(PLAN_NAMES), password: optional('P') },
    async run(db, flags, _config, origin) {
      const plan = choice(flags, 'plan', PLAN_NAMES);
      const created = await createAccount(db, { email: of(flags, 'email'), plan, password: flags['password'] }, origin);
      const { account, user, password } = created;
      return {
        json: { account: { id: account.id, plan: account.plan }, user: shown(user), password },
        text: `account ${account.id} (${account.plan}) created; ${signIn(user, password)}`,
      };
    },
  },

  'account set-plan': {
    flags: { email: required('E'), plan: oneOf(PLAN_NAMES) },
    async run(db, flags, _config, origin) {
      const actor = await systemActorByEmail(db, of(flags, 'email'), origin);
      const { id, plan } = await setPlan(db, actor, choice(flags, 'plan', PLAN_NAMES));
      return { json: { account: { id, plan } }, text: `account ${id} has the plan ${plan}` };
    },
  },

  'account export': {
    flags: { email: required('E'), out: required('DIR') },
    async run(db, flags, _config, origin) {
      const actor = await systemActorByEmail(db, of(flags, 'email'), origin);
      const folder = resolve(of(flags, 'out'));
      const { websites } = await exportAccount(db, actor, folder, systemClock.now());
      return {
        json: { folder, websites },
        text: `account ${actor.accountId} with ${websites} websites is in ${folder}`,
      };
    },
  },

  'account delete': {
    flags: { email: required('E'), confirm: required('E') },
    check: ({ email, confirm }) =>
      email === confirm ? undefined : '--confirm must repeat the email: this cannot be undone',
    async run(db, flags, _config, origin) {
      const actor = await systemActorByEmail(db, of(flags, 'email'), origin);
      for (const id of await deleteAccount(db, actor)) await announceSite(db, id);
      const { accountId } = actor;
      return {
        json: { account: { id: accountId, deleted: true } },
        text: `account ${accountId} is deleted; a running service deletes its data in the background, within minutes`,
      };
    },
  },

  'user add': {
    flags: {
      'account-email': required('E'),
      email: required('N'),
      role: oneOf(ROLES),
      password: optional('P'),
    },
    async run(db, flags, _config, origin) {
      const actor = await systemActorByEmail(db, of(flags, 'account-email'), origin);
      const password = flags['password'] ?? generatePassword();
      const input = { email: of(flags, 'email'), role: choice(flags, 'role', ROLES), password };
      const user = await addUser(db, actor, input);
      return {
        json: { user: shown(user), password },
        text: `user ${user.id} added; ${signIn(user, password)}`,
      };
    },
  },

  'user set-password': {
    flags: { email: required('E'), password: optional('P') },
    async run(db, flags, _config, origin) {
      const email = of(flags, 'email');
      const actor = await systemActorByEmail(db, email, origin);
      const password = flags['password'] ?? generatePassword();
      await setPassword(db, actor, { email, password });
      const shownPassword = flags['password'] === undefined ? { password } : {};
      const which = flags['password'] === undefined ? password : 'that was given';
      return { json: { email, ...shownPassword }, text: `${email} signs in with the password ${which}` };
    },
  },

  'website create': {
    flags: { email: required('E'), name: required('N'), host: optional('HOST') },
    check: notName,
    async run(db, flags, config, origin) {
      const actor = await systemActorByEmail(db, of(flags, 'email'), origin);
      const hosts =
        flags['host'] === undefined ? [] : [{ hostname: flags['host'], environment: 'production' as const }];
      // The operator's word is the proof of a host.
      const rules = { ...createServiceHosts(config), needsProof: false };
      const { id, name } = await createWebsite(db, actor, { name: of(flags, 'name'), hosts }, rules);
      await announceSite(db, id);
      return { json: { website: { id, name, hosts } }, text: `website ${id} (${name}) created` };
    },
  },

  'key list': {
    flags: { email: required('E') },
    async run(db, flags) {
      const keys = await listApiKeys(db, await systemActorByEmail(db, of(flags, 'email')));
      const time = (at: Date | null): string | null => at && isoSeconds(at);
      const list = keys.map((key) => ({
        id: key.id,
        name: key.name,
        scope: key.scope,
        created_at: time(key.createdAt),
        created_by: key.createdByName,
        last_used_at: time(key.usedAt),
        expires_at: time(key.expiresAt),
        revoked_at: time(key.revokedAt),
      }));
      const lines = list.map((key) => `${key.id} ${key.scope} ${key.revoked_at ? 'revoked ' : ''}${key.name}`);
      return { json: { api_keys: list }, text: lines.join('\n') || 'the account has no API keys' };
    },
  },

  'user reset-password': {
    flags: { email: required('E'), totp: { ...oneOf(['off']), required: false } },
    async run(db, flags, { publicUrl }, origin) {
      const input = { email: of(flags, 'email'), withoutTotp: flags['totp'] === 'off' };
      const reset = await createPasswordReset(db, input, { publicUrl, now: systemClock.now(), origin });
      const { userId, email, url, expiresAt } = reset;
      return {
        json: { password_reset: { user_id: userId, email, url, expires_at: isoSeconds(expiresAt) } },
        text: `${email} sets a new password within 24 hours, once, at ${url}`,
      };
    },
  },

  'key create': {
    flags: {
      email: required('E'),
      name: required('N'),
      scope: { ...oneOf(SCOPES), required: false },
      'expires-days': optional('D'),
      website: optional('ID[,ID]'),
    },
    check: (flags) => notDays(flags) ?? notWebsites(flags) ?? notName(flags),
    async run(db, flags, _config, origin) {
      const actor = await systemActorByEmail(db, of(flags, 'email'), origin);
      const now = systemClock.now();
      const days = flags['expires-days'];
      const expiresAt = days === undefined ? null : new Date(now.getTime() + Number(days) * DAY_MS);
      const scope = flags['scope'] === undefined ? 'write' : choice(flags, 'scope', SCOPES);
      const websiteIds = flags['website']?.split(',').map(Number) ?? null;
      const created = await createApiKey(db, actor, { name: of(flags, 'name'), scope, expiresAt, websiteIds }, now);
      const { id, name, key } = created;
      const limit = websiteIds && { website_ids: created.websiteIds };
      return {
        json: {
          api_key: { id, name, scope: created.scope, key, expires_at: expiresAt && isoSeconds(expiresAt), ...limit },
        },
        text: `key ${id} (${created.scope}) created, shown only once: ${key}`,
      };
    },
  },

  'key revoke': {
    flags: { id: required('K') },
    async run(db, flags, _config, origin) {
      const actor = await systemActorByKey(db, of(flags, 'id'), origin);
      const { id, revokedAt } = await revokeApiKey(db, actor, of(flags, 'id'), systemClock.now());
      return {
        json: { api_key: { id, revoked_at: revokedAt && isoSeconds(revokedAt) } },
        text: `key ${id} is revoked`,
      };
    },
  },

  'secrets rotate': {
    flags: { unreadable: { ...oneOf(UNREADABLE), required: false } },
    async run(db, flags, { secretKey, previousSecretKey, dataDir }) {
      const box = createSecretBox({ secretKey: secretKey ?? keptSecretKey(dataDir), previousSecretKey });
      const discarded = flags['unreadable'] === 'discard' && (await discardUnreadable(db, box));
      const { rotated, unreadable } = await rotateSecrets(db, box);
      const rest = unreadable === 0 ? 'none is left under another key' : `${unreadable} cannot be read with either key`;
      const isDone = unreadable === 0 || flags['unreadable'] === 'keep';
      const text = `${rotated} secrets sealed with SECRET_KEY; ${rest}${isDone ? '' : UNREADABLE_HELP}`;
      return { json: { rotated, unreadable, discarded }, text, isDone };
    },
  },

  migrate: {
    flags: {},
    async run(db) {
      await migrate(db);
      return { json: { migrated: true }, text: 'the database has the tables of this version' };
    },
  },
};

function of(flags: Flags, name: string): string {
  const value = flags[name];
  if (value === undefined) throw new UsageError(`--${name} is required`);
  return value;
}

function choice<T extends string>(flags: Flags, name: string, choices: readonly T[]): T {
  const value = choices.find((each) => each === flags[name]);
  if (value === undefined) throw new UsageError(`--${name} is required`);
  return value;
}

function notDays(flags: Flags): string | undefined {
  const days = flags['expires-days'];
  if (days === undefined || (/^[1-9]\d{0,4}$/.test(days) && Number(days) <= MAX_DAYS)) return undefined;
  return `--expires-days must be a whole number from 1 to ${MAX_DAYS}; it is ${JSON.stringify(days)}`;
}

function notWebsites({ website }: Flags): string | undefined {
  if (website === undefined || /^\d{1,9}(,\d{1,9})*$/.test(website)) return undefined;
  return `--website must be the ids of websites, such as 1,2; it is ${JSON.stringify(website)}`;
}

function notName(flags: Flags): string | undefined {
  const name = of(flags, 'name');
  if (name.trim() !== '' && [...name].length <= 200 && !/[\p{Cc}\p{Cs}]/u.test(name)) return undefined;
  return '--name must have 1 to 200 characters and no control character';
}

function shown({ id, email, role }: User): Record<string, unknown> {
  return { id, email, role };
}

function signIn({ email, role }: User, password: string): string {
  return `${role} ${email} signs in with the password ${password}`;
}
