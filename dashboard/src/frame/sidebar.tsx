import { currentLocation } from '../router.ts';
import { ACCOUNT_NAV, type NavEntry, WEBSITE_NAV } from '../nav.ts';
import { FINDER_KEYS, isFinderOpen } from './finder/entry.ts';
import { areKeysShown } from '../state/keys.ts';
import { highestRole, signOut, user } from '../state/session.ts';
import { leaveScreen } from '../state/unsaved.ts';
import { currentWebsite } from '../state/websites.ts';
import { Icon, Mark } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';
import { WebsiteState } from './website-state.tsx';
import { WebsiteSwitcher } from './website-switcher.tsx';

export function Sidebar({ isOpen }: { isOpen: boolean }) {
  const website = currentWebsite.value;
  return (
    <nav class="sidebar" aria-label="Main" data-open={isOpen}>
      <a class="line brand" href="/">
        <Mark /> Detour
      </a>
      <WebsiteSwitcher />
      {website && <WebsiteState website={website} />}
      <button type="button" class="button find-button" onClick={() => (isFinderOpen.value = true)}>
        <Icon name="search" /> Find anything <kbd aria-hidden="true">{FINDER_KEYS}</kbd>
      </button>
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
      <div>
        <AccountMenu />
      </div>
    </nav>
  );
}

const PARENT_PATHS = new Set(['/websites', '/account']);

function NavLink({ entry, href }: { entry: NavEntry; href: string }) {
  const { path } = currentLocation.value;
  // Pages below these two have their own entries.
  const isCurrent = path === href || (!PARENT_PATHS.has(href) && path.startsWith(`${href}/`));
  return (
    <li>
      <a class="line nav-link" href={href} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name={entry.icon} />
        {entry.label}
      </a>
    </li>
  );
}

function AccountMenu() {
  const signedIn = user.value;
  if (!signedIn) return null;
  return (
    <Menu
      buttonClass="line switcher"
      button={
        <>
          <span class="avatar" aria-hidden="true">
            {signedIn.email.slice(0, 1).toUpperCase()}
          </span>
          <span class="truncate">{signedIn.email}</span>
        </>
      }
    >
      <p>
        {signedIn.email}
        <br />
        {highestRole.value}, {signedIn.plan} plan
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
      <button type="button" onClick={() => leaveScreen(() => void signOut())}>
        <Icon name="arrow" /> Sign out
      </button>
    </Menu>
  );
}
