/** A browser on a whole Detour: pages signed in as its owner, and what every screen has to pass. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
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
  /** a page of its own browser profile, signed in; every address that it shows is of this service */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** the same before it goes anywhere: nothing is in its cache */
  blank(): Promise<Page>;
  /** the same with nobody signed in */
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

  async function newPageWith(cookie: string | undefined, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await newPage(browser, detour.address, complaints, options);
    if (cookie !== undefined) {
      const [name = '', value = ''] = cookie.split('=');
      await page.context().addCookies([{ name, value, url: detour.address }]);
    }
    return page;
  }
  async function openWith(
    cookie: string | undefined,
    path: string,
    options: BrowserContextOptions,
  ): Promise<Page> {
    const page = await newPageWith(cookie, options);
    await page.goto(path);
    return page;
  }
  return {
    detour,
    owner,
    complaints,
    open: (path, options = {}) => openWith(owner.cookie, path, options),
    blank: () => newPageWith(owner.cookie),
    openAnonymously: (path, options = {}) => openWith(undefined, path, options),
    async stop() {
      await browser.close();
      await detour.stop();
    },
  };
}

async function newPage(
  browser: Browser,
  address: string,
  complaints: string[],
  options: BrowserContextOptions,
): Promise<Page> {
  const context = await browser.newContext({ baseURL: address, locale: 'en-GB', ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) complaints.push(`request to ${request.url()}`);
  });
  return page;
}

const LIGHT_FIRST = ['light', 'dark'] as const;
const DARK_FIRST = ['dark', 'light'] as const;
const requireByAxe = createRequire(import.meta.resolve('@axe-core/playwright'));
/** In its short form: a page reads the other, which the builder would give it twice for each look, for a tenth of a second. */
const AXE = readFileSync(requireByAxe.resolve('axe-core/axe.min.js'), 'utf8');
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
