/** A browser on a whole Detour: pages signed in as its owner, and what every screen has to pass. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';

const EXECUTABLE = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface DashboardTest {
  detour: TestDetour;
  owner: TestAccount;
  /** a page until the test ends, signed in; every address that it shows is of this service. With options in a profile of its own. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** the same in a profile of its own, before it goes anywhere: nothing is in its cache */
  blank(): Promise<Page>;
  /** a page in a profile of its own, with nobody signed in */
  openAnonymously(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** errors of scripts and of the policy, and requests to other hosts, of all pages so far */
  complaints: string[];
  stop(): Promise<void>;
}

export async function startDashboard(env: Record<string, string> = {}): Promise<DashboardTest> {
  await import('../../../scripts/build-dashboard.ts');
  const detour = await startTestDetour(env);
  const owner = await detour.account();
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
  const complaints: string[] = [];

  async function newProfile(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const profile = await browser.newContext({ baseURL: detour.address, locale: 'en-GB', ...options });
    profile.setDefaultTimeout(20_000);
    return profile;
  }
  async function signIn(profile: BrowserContext): Promise<BrowserContext> {
    const [name = '', value = ''] = owner.cookie.split('=');
    await profile.addCookies([{ name, value, url: detour.address }]);
    return profile;
  }
  async function newPage(profile: BrowserContext, end: (page: Page) => Promise<void>): Promise<Page> {
    const page = await profile.newPage();
    // One that stays open goes on drawing.
    onTestFinished(() => end(page));
    listen(page, detour.address, complaints);
    return page;
  }
  const endProfile = (page: Page): Promise<void> => page.context().close();
  // In a profile of its own a page costs 0.8 s more of a processor: the script is fetched and compiled anew.
  const shared = await newProfile();
  return {
    detour,
    owner,
    complaints,
    async open(path, options) {
      const profile = await signIn(options ? await newProfile(options) : shared);
      const page = await newPage(profile, options ? endProfile : forget);
      await page.goto(path);
      return page;
    },
    blank: async () => newPage(await signIn(await newProfile()), endProfile),
    async openAnonymously(path, options) {
      const page = await newPage(await newProfile(options), endProfile);
      await page.goto(path);
      return page;
    },
    async stop() {
      await browser.close();
      await detour.stop();
    },
  };
}

/** Closes the page and removes what it has kept: the next one of its profile is like the first. */
async function forget(page: Page): Promise<void> {
  if (page.isClosed()) return;
  await page.evaluate('localStorage.clear()');
  await page.close();
}

function listen(page: Page, address: string, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) complaints.push(`request to ${request.url()}`);
  });
}

const LIGHT_FIRST = ['light', 'dark'] as const;
const DARK_FIRST = ['dark', 'light'] as const;
const requireByAxe = createRequire(import.meta.resolve('@axe-core/playwright'));
/** In its short form: a page reads the other, which the builder would give it twice for each look, for a tenth of a second. */
const AXE = readFileSync(requireByAxe.resolve('axe-core/axe.min.js'), 'utf8');
/** What the builder is to run in the page for its own: nothing, as AXE is there already. */
const AXE_IS_THERE = 'undefined';
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Nothing that axe knows of WCAG 2.2 AA is broken, in either scheme; between the two only colours differ. The scheme that the page
 * has is looked at first: changing it draws everything again.
 */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const isDark = await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`);
  for (const [at, colorScheme] of (isDark ? DARK_FIRST : LIGHT_FIRST).entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // A colour on its way to the other scheme's is neither of the two.
    await page
      .locator('html')
      .evaluate((html) =>
        Promise.allSettled(
          html.ownerDocument.getAnimations().map((each: { finished: Promise<unknown> }) => each.finished),
        ),
      );
    // The other way opens a page for each look; it is for frames of other hosts, and there are none.
    const axe = new AxeBuilder({ page, axeSource: AXE_IS_THERE })
      .setLegacyMode()
      .options({ resultTypes: ['violations'] });
    const asked = at === 0 ? axe.withTags(TAGS) : axe.withRules(['color-contrast']);
    const { violations } = await asked.analyze();
    const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]);
    expect([colorScheme, found]).toEqual([colorScheme, []]);
  }
}

/** Nothing is wider than the page. */
export async function expectFits(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 740 });
  const wide = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
  expect([width, wide]).toEqual([width, 0]);
}
