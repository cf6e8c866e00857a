import { useSignal } from '@preact/signals';
import type { WebsiteRole, WebsiteRoles } from '../../../../src/vocabulary/actor.ts';
import { limitUser } from '../../api/users.ts';
import type { AccountUserDetails } from '../../api/wire.ts';
import { toast } from '../../state/toasts.ts';
import { websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { websitesText } from './roles.ts';

/** The websites that a user reaches, with a dialog that changes them. */
export function UserWebsites({ user, onChanged }: { user: AccountUserDetails; onChanged: () => void }) {
  const { id, email, website_roles: roles } = user;
  const isOpen = useSignal(false);
  const chosen = useSignal(roles);
  function open(): void {
    chosen.value = roles;
    isOpen.value = true;
  }
  async function save(): Promise<void> {
    await limitUser(id, chosen.value);
    isOpen.value = false;
    toast(`${email}: ${websitesText(chosen.value).toLowerCase()}`);
    onChanged();
  }
  return (
    <>
      {' '}
      <Button size="small" aria-label={`${websitesText(roles)} of ${email}`} onClick={open}>
        {websitesText(roles)}
      </Button>
      {isOpen.value && (
        <FormDialog title={`Websites of ${email}`} verb="Save" onSend={save} onClose={() => (isOpen.value = false)}>
          {(error) => (
            <>
              <WebsiteRolesField roles={chosen.value} onChange={(next) => (chosen.value = next)} />
              {chosen.value && <p class="small muted">Saving revokes the API keys that the user has created.</p>}
              <FormError error={error} fields={[]} />
            </>
          )}
        </FormDialog>
      )}
    </>
  );
}

const CHOICES = [
  ['none', 'No access'],
  ['viewer', 'Viewer'],
  ['editor', 'Editor'],
] as const;

/** All websites, or a role at each. */
export function WebsiteRolesField({
  roles,
  onChange,
}: {
  roles: WebsiteRoles | null;
  onChange: (roles: WebsiteRoles | null) => void;
}) {
  function choose(id: number, role: WebsiteRole | 'none'): void {
    const { [id]: _former, ...others } = roles ?? {};
    onChange(role === 'none' ? others : { ...others, [id]: role });
  }
  return (
    <fieldset class="field role-choice">
      <legend>Websites</legend>
      <label class="check">
        <input type="radio" name="websites" checked={!roles} onChange={() => onChange(null)} />
        <span>All websites, with the role in the account</span>
      </label>
      <label class="check">
        <input type="radio" name="websites" checked={roles !== null} onChange={() => onChange(roles ?? {})} />
        <span>Only some, with a role at each</span>
      </label>
      {roles && (
        <ul class="website-roles">
          {(websites.value ?? []).map(({ id, name }) => (
            <li key={id}>
              <span class="break">{name}</span>
              <Select
                aria-label={`Role at ${name}`}
                value={roles[id] ?? 'none'}
                options={CHOICES}
                onChoose={(role) => choose(id, role)}
              />
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
