import type { Website } from '../api/client/wire.ts';
import { ACCOUNT_SECTIONS, ACCOUNT_NAV, countNeeds, type NavSection, WEBSITE_SECTIONS } from '../nav.ts';
import { needs } from '../state/overview.ts';
import { FINDER_KEYS, isFinderOpen } from './finder/entry.ts';
import { areKeysShown } from '../state/keys.ts';
import { highestRole, signOut, user } from '../state/session.ts';
import { leaveScreen } from '../state/unsaved.ts';
import { openWebsite } from '../state/websites.ts';
import { Icon, Mark } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';
import { ToDoBadge } from '../ui/page/tabs.tsx';
import { isOpenTo, place, websiteHref } from './place.ts';
import { WebsiteState } from './website-state.tsx';
import { WebsiteSwitcher } from './website-switcher.tsx';

export function Sidebar({ isOpen }: { isOpen: boolean }) {
  const website = openWebsite.value;
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
      <ul aria-label={website?.name ?? 'Account'}>
        {(website ? WEBSITE_SECTIONS : ACCOUNT_SECTIONS).map((section) => (
          <SectionLink key={section.label} section={section} website={website} />
        ))}
      </ul>
      <div>
        <AccountMenu />
      </div>
    </nav>
  );
}

function SectionLink({ section, website }: { section: NavSection; website: Website | undefined }) {
  const [first] = section.screens;
  return (
    <li>
      <a
        class="line nav-link"
        href={website ? websiteHref(website.id, first) : first.path}
        aria-current={place.value?.section === section ? 'page' : undefined}
      >
        <Icon name={section.icon} />
        <span class="grow">{section.label}</span>
        <ToDoBadge count={countNeeds(section.screens, needs.value)} />
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
      {ACCOUNT_NAV.filter(isOpenTo).map(({ path, icon, label }) => (
        <a key={path} href={path}>
          <Icon name={icon} /> {label}
        </a>
      ))}
      <hr />
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
