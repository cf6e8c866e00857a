import { mayEdit } from '../state/session.ts';
import { samePlaceOf, currentWebsite, websites } from '../state/websites.ts';
import { Icon } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';

/** Which website the screens below are of. */
export function WebsiteSwitcher() {
  const website = currentWebsite.value;
  const list = websites.value ?? [];
  if (!website) return null;
  return (
    <Menu
      buttonClass="switcher"
      button={
        <>
          <span class="switcher-text">
            <span class="truncate">{website.name}</span>
            <span class="truncate muted small">{website.hosts[0]?.hostname ?? 'no host yet'}</span>
          </span>
          <Icon name="down" />
        </>
      }
    >
      {list.map(({ id, name }) => (
        <a key={id} href={samePlaceOf(id)} aria-current={id === website.id ? 'true' : undefined}>
          {name}
        </a>
      ))}
      <hr />
      <a href="/websites">
        <Icon name="websites" /> All websites
      </a>
      {mayEdit.value && (
        <a href="/websites?new=website">
          <Icon name="plus" /> New website
        </a>
      )}
    </Menu>
  );
}
