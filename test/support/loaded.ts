import type { Page } from 'playwright-core';

/** Waits until a screen shows its heading and nothing loads. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy=true], .starting').first().waitFor({ state: 'detached' });
}
