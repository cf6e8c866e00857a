/** The same job by mouse, and by keyboard alone at the speed of a fast typist. */
import { setTimeout } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { test } from 'vitest';
import type { JobName } from './names.ts';

/** Between two keys of a fast typist. */
const KEY_MS = 40;
/** More than the controls of any screen. */
const MAX_TABS = 150;

export interface Hands {
  name: 'mouse' | 'keyboard';
  /** activates a button or link; by keyboard with its shortcut, if it has one */
  press(target: Locator, shortcut?: string): Promise<void>;
  /** replaces the text of a field */
  write(field: Locator, text: string): Promise<void>;
  /** types into the field that should have the focus already; by mouse like `write` */
  typeAtOnce(field: Locator, text: string): Promise<void>;
  /** chooses an option by its label */
  choose(select: Locator, label: string): Promise<void>;
  /** checks a checkbox or radio button */
  check(box: Locator): Promise<void>;
  /** what has no common form, such as rows: a click or similar by mouse; by keyboard keys, from this element on */
  use(byMouse: () => Promise<unknown>, keys: readonly string[], from?: Locator): Promise<void>;
}

async function clickAndFill(field: Locator, text: string): Promise<void> {
  await field.click();
  await field.fill(text);
}

const byMouse = (): Hands => ({
  name: 'mouse',
  press: (target) => target.click(),
  write: clickAndFill,
  typeAtOnce: clickAndFill,
  async choose(select, label) {
    await select.selectOption({ label });
  },
  check: (box) => box.check(),
  async use(run) {
    await run();
  },
});

/** Moves the focus with Tab, backwards if the target is above. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let at = 0; at < MAX_TABS; at++) {
    const step = await target.evaluate((element) => {
      const focused = element.ownerDocument.activeElement;
      if (focused === element) return undefined;
      const isAbove = focused && element.compareDocumentPosition(focused) & 4 && focused.localName !== 'body';
      return isAbove ? 'Shift+Tab' : 'Tab';
    });
    if (step === undefined) return;
    await page.keyboard.press(step);
  }
  throw new Error(`not reached with ${MAX_TABS} Tabs: ${target.toString()}`);
}

const byKeyboard = (page: Page): Hands => {
  async function type(keys: readonly string[]): Promise<void> {
    for (const [at, key] of keys.entries()) {
      if (at > 0) await setTimeout(KEY_MS);
      await page.keyboard.press(key);
    }
  }
  return {
    name: 'keyboard',
    async press(target, shortcut) {
      if (shortcut !== undefined) return type(shortcut.split(' '));
      await reach(page, target);
      await page.keyboard.press('Enter');
    },
    async write(field, text) {
      await reach(page, field);
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text, { delay: KEY_MS });
    },
    typeAtOnce: (_, text) => page.keyboard.type(text, { delay: KEY_MS }),
    async choose(select, label) {
      await reach(page, select);
      await page.keyboard.type(label, { delay: KEY_MS });
    },
    async check(box) {
      await reach(page, box);
      if (!(await box.isChecked())) await page.keyboard.press(' ');
    },
    async use(_, keys, from) {
      if (from) await reach(page, from);
      await type(keys);
    },
  };
};

/** The job in two tests. `handsOn(page)` does the work; `by` tells the websites and users of the two apart. */
export function job(name: JobName, run: (handsOn: (page: Page) => Hands, by: Hands['name']) => Promise<void>): void {
  test(`${name}: by mouse`, () => run(byMouse, 'mouse'));
  test(`${name}: by keyboard`, () => run(byKeyboard, 'keyboard'));
}
