import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Website } from '../api/client/wire.ts';
import { go, currentLocation } from '../router.ts';
import { useOverview } from '../state/overview.ts';
import { ACCOUNT_NAV, WEBSITE_NAV } from '../nav.ts';
import { FINDER_KEYS, isFinderOpen } from './finder/entry.ts';
import { areKeysShown, useKeys } from '../state/keys.ts';
import { currentWebsite, openWebsite, rememberWebsite } from '../state/websites.ts';
import { IconButton } from '../ui/button.tsx';
import { Finder } from './finder/finder.tsx';
import { KeysOverlay } from './keys-overlay.tsx';
import { Outlet } from './outlet.tsx';
import { place, websiteHref } from './place.ts';
import { SectionBar } from './section-bar.tsx';
import { WebsiteState, WebsiteStateWatch } from './website-state.tsx';
import { Sidebar } from './sidebar.tsx';

/** Sidebar and screen; on narrow pages the sidebar is a drawer. */
export function Frame() {
  const isOpen = useSignal(false);
  const website = openWebsite.value;
  const last = currentWebsite.value;
  const { path } = currentLocation.value;
  useEffect(() => {
    isOpen.value = false;
  }, [path]);
  useEffect(() => {
    if (website) rememberWebsite(website.id);
  }, [website?.id]);
  useOverview(website?.id, place.value?.screen.path === '' || place.value?.screen.path === '/websites');
  useFrameKeys(last);
  return (
    <div
      class="frame"
      onKeyDown={(event) => {
        if (event.key === 'Escape') isOpen.value = false;
      }}
    >
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="topbar row">
        <IconButton
          label="Menu"
          icon="menu"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        />
        <span class="truncate">{website?.name ?? 'All websites'}</span>
        {website && <WebsiteState website={website} isNarrow />}
        <IconButton
          label={`Find anything (${FINDER_KEYS})`}
          icon="search"
          onClick={() => (isFinderOpen.value = true)}
        />
      </header>
      {website && <WebsiteStateWatch websiteId={website.id} />}
      <Sidebar isOpen={isOpen.value} />
      {isOpen.value && <div class="scrim" onClick={() => (isOpen.value = false)} />}
      <main id="main" class="main" tabIndex={-1}>
        <SectionBar />
        <Outlet />
      </main>
      {isFinderOpen.value && <Finder />}
      {areKeysShown.value && <KeysOverlay />}
    </div>
  );
}

/** Keys that work on every screen. `last`: the website that they lead to. */
function useFrameKeys(last: Website | undefined): void {
  useKeys([
    { keys: 'Mod+k', label: 'Find anything', run: () => (isFinderOpen.value = true) },
    // A search field of the screen takes precedence.
    { keys: '/', label: 'Find anything', run: () => (isFinderOpen.value = true) },
    ...(last
      ? WEBSITE_NAV.map((entry) => ({
          keys: `g ${entry.key}`,
          label: `Go to ${entry.label}`,
          run: () => go(websiteHref(last.id, entry)),
        }))
      : []),
    ...ACCOUNT_NAV.map((entry) => ({
      keys: `g ${entry.key}`,
      label: `Go to ${entry.label}`,
      run: () => go(entry.path),
    })),
  ]);
}
