import { currentLocation } from '../router.ts';
import { ACCOUNT_NAV, type NavEntry, WEBSITE_NAV } from '../routes.ts';
import { areKeysShown } from '../state/keys.ts';
import { leave } from '../state/leave.ts';
import { user } from '../state/session.ts';
import { currentWebsite } from '../state/websites.ts';
import { Icon, Mark } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';
import { WebsiteSwitcher } from './website-switcher.tsx';

export function Sidebar({ isOpen }: { isOpen: boolean }) {
  const website = currentWebsite.value;
  return (
    <nav class="sidebar" aria-label="Main" data-open={isOpen}>
      <a class="brand" href="/">
        <Mark /> Detour
      </a>
      <WebsiteSwitcher />
      {website && (
        <ul aria-label={website.name}>
          {WEBSITE_NAV.map((entry) => (
            <NavLink key={entry.path} entry={entry} href={`/websites/${website.id}${entry.path}`} />
          ))}
        </ul>
      )}
      <hr />
      <ul aria-label="Account">
        {ACCOUNT_NAV.map((entry) => (
          <NavLink key={entry.path} entry={entry} href={entry.path} />
        ))}
      </ul>
      <div class="sidebar-foot">
        <AccountMenu />
      </div>
    </nav>
  );
}

const PARENTS = new Set(['/websites', '/account']);

function NavLink({ entry, href }: { entry: NavEntry; href: string }) {
  const { path } = currentLocation.value;
  // What lies behind these two has entries of its own.
  const isHere = path === href || (!PARENTS.has(href) && path.startsWith(`${href}/`));
  return (
    <li>
      <a class="nav-link" href={href} aria-current={isHere ? 'page' : undefined}>
        <Icon name={entry.icon} />
        {entry.label}
      </a>
    </li>
  );
}

function AccountMenu() {
  const who = user.value;
  if (!who) return null;
  return (
    <Menu
      buttonClass="account-button"
      button={
        <>
          <span class="avatar" aria-hidden="true">
            {who.email.slice(0, 1).toUpperCase()}
          </span>
          <span class="truncate">{who.email}</span>
        </>
      }
    >
      <p>
        {who.email}
        <br />
        {who.role}, plan {who.plan}
      </p>
      <hr />
      <a href="/account/profile">
        <Icon name="user" /> Profile
      </a>
      <button type="button" onClick={() => (areKeysShown.value = true)}>
        <Icon name="keys" /> Keyboard shortcuts
      </button>
      <a href="/docs" target="_blank" rel="noopener">
        <Icon name="external" /> API reference
      </a>
      <button type="button" onClick={leave}>
        <Icon name="arrow" /> Sign out
      </button>
    </Menu>
  );
}
