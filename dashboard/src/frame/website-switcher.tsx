import { mayCreateWebsites } from '../state/session.ts';
import { sameScreenPath, openWebsite, websites } from '../state/websites.ts';
import { Icon } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';

/** Selects the website of the screens below. */
export function WebsiteSwitcher() {
  const website = openWebsite.value;
  const list = websites.value ?? [];
  // Websites with the same name are shown with their host.
  const names = new Map<string, number>();
  for (const { name } of list) names.set(name, (names.get(name) ?? 0) + 1);
  return (
    <Menu
      buttonClass="line switcher"
      button={
        <>
          <span class="stack gap-0 grow">
            <span class="truncate strong">{website?.name ?? 'All websites'}</span>
            {website && <span class="truncate muted small">{website.hosts[0]?.hostname ?? 'No host'}</span>}
          </span>
          <Icon name="down" />
        </>
      }
    >
      {list.map(({ id, name, hosts }) => (
        <a key={id} href={sameScreenPath(id)} aria-current={id === website?.id ? 'true' : undefined}>
          <span>
            {name}
            {names.get(name) !== 1 && <span class="muted small"> {hosts[0]?.hostname ?? 'No host'}</span>}
          </span>
        </a>
      ))}
      <hr />
      <a href="/websites">
        <Icon name="websites" /> All websites
      </a>
      {mayCreateWebsites.value && (
        <a href="/websites?new=website">
          <Icon name="plus" /> New website
        </a>
      )}
    </Menu>
  );
}
