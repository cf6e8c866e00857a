import { useSignal } from '@preact/signals';
import type { WebsiteRole, WebsiteRoles } from '../../../../src/vocabulary/actor.ts';
import { limitUser } from '../../api/account.ts';
import type { AccountUserDetails } from '../../api/client/wire.ts';
import { toast } from '../../state/toasts.ts';
import { websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Radios, Select } from '../../ui/form/field.tsx';
import type { ControlProps, FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { websitesText } from '../../ui/text/user-text.ts';

const FIELDS: FieldTable<{ roles: WebsiteRoles | null }> = [
  {
    name: 'roles',
    control: (props) => (
      <>
        <WebsiteRolesField {...props} />
        {props.value && <p class="small muted">Saving revokes the API keys that the user has created.</p>}
      </>
    ),
  },
];

/** The websites that a user reaches, with a dialog that changes them. */
export function UserWebsites({ user, onChanged }: { user: AccountUserDetails; onChanged: () => void }) {
  const { id, email, website_roles: roles } = user;
  const isOpen = useSignal(false);
  return (
    <>
      <Button size="small" aria-label={`${websitesText(roles)} of ${email}`} onClick={() => (isOpen.value = true)}>
        {websitesText(roles)}
      </Button>
      {isOpen.value && (
        <ResourceDialog
          title={`Websites of ${email}`}
          verb="Save"
          start={{ roles }}
          fields={FIELDS}
          onSend={async ({ roles: chosen }) => {
            await limitUser(id, chosen);
            toast(`${email}: ${websitesText(chosen).toLowerCase()}`);
            onChanged();
          }}
          onClose={() => (isOpen.value = false)}
        />
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
export function WebsiteRolesField({ value: roles, onChange }: ControlProps<WebsiteRoles | null>) {
  function choose(id: number, role: WebsiteRole | 'none'): void {
    const { [id]: _former, ...others } = roles ?? {};
    onChange(role === 'none' ? others : { ...others, [id]: role });
  }
  return (
    <Radios
      legend="Websites"
      value={roles === null ? 'all' : 'some'}
      options={[
        ['all', 'All websites, with the role in the account'],
        ['some', 'Only some, with a role at each'],
      ]}
      onChoose={(reach) => onChange(reach === 'all' ? null : (roles ?? {}))}
    >
      {roles && (
        <ul class="stack website-roles">
          {(websites.value ?? []).map(({ id, name }) => (
            <li key={id} class="stack">
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
    </Radios>
  );
}
