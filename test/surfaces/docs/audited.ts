/** The entries that each operation adds to the audit log, observed while the story of the operations runs. */
import type pg from 'pg';
import { expect } from 'vitest';
import type { AuditAction } from '../../../src/vocabulary/audit.ts';

/** By operationId, that of surface A without its suffix. Every other operation adds none. */
const AUDITED: Readonly<Record<string, AuditAction[]>> = {
  signUp: ['account.created', 'user.signed_up'],
  signIn: ['user.signed_in'],
  signOut: ['user.signed_out'],
  endSession: ['user.session_ended'],
  confirmPassword: ['user.password_confirmed'],
  changePassword: ['user.password_changed'],
  addUser: ['user.added'],
  changeRole: ['user.role_changed'],
  limitUser: ['user.websites_changed'],
  removeUser: ['user.removed'],
  resetPassword: ['user.password_reset_requested'],
  createInvitation: ['invitation.created'],
  acceptInvitation: ['invitation.accepted'],
  withdrawInvitation: ['invitation.revoked'],
  confirmTotp: ['user.totp_enabled'],
  renewRecoveryCodes: ['user.recovery_codes_renewed'],
  turnOffTotp: ['user.totp_disabled'],
  createApiKey: ['api_key.created'],
  renameApiKey: ['api_key.renamed'],
  rollApiKey: ['api_key.created', 'api_key.rolled'],
  revokeApiKey: ['api_key.revoked'],
  createWebsite: ['website.created'],
  updateWebsite: ['website.updated'],
  replaceAcceptedLosses: ['website.updated'],
  putCheckCredentials: ['website.updated'],
  pushUrls: ['urls.changed'],
  commitUrlUpload: ['urls.changed'],
  deleteWebsite: ['website.deleted'],
  addHosts: ['website.hosts_changed'],
  removeHosts: ['website.hosts_changed'],
  createNotice: ['notice.created'],
  updateNotice: ['notice.updated'],
  deleteNotice: ['notice.deleted'],
  createWebhook: ['webhook.created'],
  updateWebhook: ['webhook.updated'],
  rotateWebhookSecret: ['webhook.secret_rotated'],
  deleteWebhook: ['webhook.deleted'],
  deleteAccount: ['user.password_confirmed', 'account.deleted'],
};

/** Fields of requests and responses that must not be in the log. */
const SECRETS = ['password', 'current_password', 'new_password', 'token', 'code', 'key', 'secret', 'otpauth_url'];

export interface AuditWatch {
  /**
   * Sends an operation that writes an entry twice: while the log rejects entries, and again. The first one must fail and
   * change nothing, the second one adds exactly the expected entries. Returns the last response.
   */
  observe(id: string, sent: string, send: () => Promise<Response>): Promise<Response>;
  /** Expects that no entry so far has a password, key, token or code of an observed request or response. */
  expectNoSecrets(): void;
}

export async function watchAudit(database: pg.Pool): Promise<AuditWatch> {
  const secrets = new Set<string>();
  const entries: string[] = [];
  let last = '00000000-0000-0000-0000-000000000000';
  await database.query(`
    create function reject_entry() returns trigger language plpgsql as $$ begin raise 'rejected'; end $$;
    create trigger reject_entry before insert on audit for each row execute function reject_entry();
    alter table audit disable trigger reject_entry`);

  async function newActions(): Promise<string[]> {
    const { rows } = await database.query(
      'select id, action, audit::text as entry from audit where id > $1 order by id',
      [last],
    );
    last = rows.at(-1)?.id ?? last;
    entries.push(...rows.map(({ entry }) => String(entry)));
    return rows.map(({ action }) => String(action));
  }

  return {
    async observe(id, sent, send) {
      const expected = AUDITED[id.replace(/V1$/, '')] ?? [];
      await newActions();
      if (expected.length > 0) {
        const { rows: ids } = await database.query(`select sequencename as name, last_value from pg_sequences
          where sequencename in ('accounts_id_seq', 'users_id_seq', 'websites_id_seq')`);
        await database.query('alter table audit enable trigger reject_entry');
        const failed = await send();
        await database.query('alter table audit disable trigger reject_entry');
        // A rollback leaves gaps, and the examples have fixed ids.
        for (const { name, last_value } of ids) await database.query('select setval($1, $2)', [name, last_value]);
        expect.soft([id, failed.status, await newActions()]).toEqual([id, 500, []]);
      }
      const answer = await send();
      expect.soft([id, await newActions()]).toEqual([id, expected]);
      collectSecrets(secrets, sent);
      collectSecrets(secrets, await answer.clone().text());
      for (const [, token = ''] of (answer.headers.get('set-cookie') ?? '').matchAll(/token=([^;]+)/g))
        secrets.add(token);
      return answer;
    },
    expectNoSecrets() {
      expect(entries.length).toBeGreaterThan(20);
      expect(secrets.size).toBeGreaterThan(20);
      expect([...secrets].filter((secret) => entries.some((entry) => entry.includes(secret)))).toEqual([]);
    },
  };
}

function collectSecrets(secrets: Set<string>, text: string): void {
  if (!text.startsWith('{')) return;
  // Lines of JSON are rules, which have no secrets.
  if (text.endsWith('}\n')) return;
  JSON.parse(text, (name, value: unknown) => {
    if (name === 'recovery_codes' && Array.isArray(value)) for (const code of value) secrets.add(String(code));
    if (typeof value !== 'string' || value.length < 6) return value;
    if (SECRETS.includes(name)) secrets.add(value);
    // The link of an invitation.
    if (name === 'url' && value.includes('#')) secrets.add(value.split('#')[1] ?? value);
    return value;
  });
}
