/** A browser with a running service: pages signed in as the owner, and checks for every screen. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { inSoak } from '../../support/soak.ts';

/** The build without windows takes a third less processor time; Debian has it since version 12. */
const EXECUTABLE = existsSync('/usr/bin/chromium-headless-shell')
  ? '/usr/bin/chromium-headless-shell'
  : '/usr/bin/chromium';
/** A name of the service whose pages are no secure context, as plain HTTP in a private network. */
export const PLAIN_HOST = 'plain.test';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--in-process-gpu',
  '--num-raster-threads=1',
  `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
];

export interface DashboardTest {
  detour: TestDetour;
  owner: TestAccount;
  /** opens a signed-in page, closed when the test ends; with options in a separate profile */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** a signed-in blank page in a separate profile with an empty cache */
  blank(): Promise<Page>;
  /** opens a page in the profile of another account, signed in as its owner */
  openAs(account: Pick<TestAccount, 'cookie'>, path: string): Promise<Page>;
  /** opens a signed-out page in a separate profile */
  openAnonymously(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** script errors, policy violations and requests to other hosts of all pages */
  complaints: string[];
  stop(): Promise<void>;
}

/** One per test process, which ends it: a start takes a second of processor time. */
let launched: Promise<Browser> | undefined;

export async function startDashboard(env: Record<string, string> = {}): Promise<DashboardTest> {
  const detour = await startTestDetour(env);
  const owner = await detour.account();
  const browser = await (launched ??= chromium.launch({ executablePath: EXECUTABLE, args: FLAGS }));
  const complaints: string[] = [];
  const opened = new Set<BrowserContext>();

  async function newProfile(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const profile = await browser.newContext({ baseURL: detour.address, locale: 'en-GB', ...options });
    opened.add(profile);
    profile.on('close', () => opened.delete(profile));
    profile.setDefaultTimeout(40_000);
    return profile;
  }
  async function signIn(
    profile: BrowserContext,
    { cookie } = owner as Pick<TestAccount, 'cookie'>,
  ): Promise<BrowserContext> {
    const [name = '', value = ''] = cookie.split('=');
    await profile.addCookies([{ name, value, url: detour.address }]);
    return profile;
  }
  async function newPage(profile: BrowserContext, end: (page: Page) => Promise<void>): Promise<Page> {
    const page = await profile.newPage();
    // Open pages keep rendering.
    onTestFinished(() => end(page));
    listen(page, detour.address, complaints);
    return page;
  }
  const endProfile = (page: Page): Promise<void> => page.context().close();
  // A separate profile costs 0.8 s of processor time per page to load and compile the scripts.
  const shared = await newProfile();
  const profiles = new Map<string, BrowserContext>();
  return {
    detour,
    owner,
    complaints,
    async open(path, options) {
      const profile = await signIn(options ? await newProfile(options) : shared);
      const page = await newPage(profile, options ? endProfile : clearAndClose);
      await page.goto(path);
      return page;
    },
    blank: async () => newPage(await signIn(await newProfile()), endProfile),
    async openAs(account, path) {
      const profile = profiles.get(account.cookie) ?? (await signIn(await newProfile(), account));
      profiles.set(account.cookie, profile);
      const page = await newPage(profile, clearAndClose);
      await page.goto(path);
      return page;
    },
    async openAnonymously(path, options) {
      const page = await newPage(await newProfile(options), endProfile);
      await page.goto(path);
      return page;
    },
    async stop() {
      for (const profile of opened) await profile.close();
      await detour.stop();
    },
  };
}

/** Clears local storage and closes the page, so that the next one of the profile starts fresh. */
async function clearAndClose(page: Page): Promise<void> {
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
    const isOwn = request.url().startsWith(address) || new URL(request.url()).hostname === PLAIN_HOST;
    if (!isOwn) complaints.push(`request to ${request.url()}`);
  });
}

const LIGHT_FIRST = ['light', 'dark'] as const;
const DARK_FIRST = ['dark', 'light'] as const;
const requireByAxe = createRequire(import.meta.resolve('@axe-core/playwright'));
/**
 * The minified build, injected once per page: the builder would inject the full one for each check, which takes 0.1 s.
 */
const AXE = readFileSync(requireByAxe.resolve('axe-core/axe.min.js'), 'utf8');
/** Replaces the builder's injection, because AXE is loaded already. */
const AXE_LOADED = 'undefined';
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Checks {
  /** default: the current one, and in a soak also the other one; every-screen checks both */
  schemes?: readonly ('light' | 'dark')[];
  /** the only rules to check; default: all in the first scheme, and contrast in the second one, as nothing else differs */
  only?: string[];
  /** a selector of the part to check; default: the page */
  within?: string | undefined;
}

/** Expects no violations of WCAG 2.2 AA and best practices. */
export async function expectAccessible(page: Page, { schemes, only, within }: Checks = {}): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const isDark = await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`);
  const both: readonly ('light' | 'dark')[] = isDark ? DARK_FIRST : LIGHT_FIRST;
  for (const [at, colorScheme] of (schemes ?? inSoak(both, both.slice(0, 1))).entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Wait for colour transitions to end.
    await page
      .locator('html')
      .evaluate((html) =>
        Promise.allSettled(
          html.ownerDocument.getAnimations().map((each: { finished: Promise<unknown> }) => each.finished),
        ),
      );
    // The default mode opens a page per check because of frames of other hosts. The dashboard has no frames.
    const axe = new AxeBuilder({ page, axeSource: AXE_LOADED })
      .setLegacyMode()
      .options({ resultTypes: ['violations'] });
    if (within !== undefined) axe.include(within);
    const rules = only ?? (at === 0 ? undefined : ['color-contrast']);
    const { violations } = await (rules ? axe.withRules(rules) : axe.withTags(TAGS)).analyze();
    const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]);
    expect([colorScheme, found]).toEqual([colorScheme, []]);
  }
}

/** Expects no horizontal scrolling at this width, and no vertical scroll bar beside tabs, which browsers hide here. */
export async function expectFits(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 740 });
  const wide = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
  const tall = await page
    .locator('.tabs')
    .evaluateAll((bars) => bars.filter((bar) => bar.scrollHeight > bar.clientHeight).length);
  expect([width, wide, tall]).toEqual([width, 0, 0]);
}
