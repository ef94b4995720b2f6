// Two ways of working a page: by pointer, and by keyboard alone. A journey is written once and made by both.
import type { Locator, Page } from 'playwright-core';

export interface Hands {
  /** Presses a button, link or menu item. */
  press(what: Locator): Promise<void>;
  /** Writes into a field in place of what it holds. */
  write(field: Locator, text: string): Promise<void>;
  /** Chooses an entry of a list by its words. */
  choose(list: Locator, entry: string): Promise<void>;
  /** Turns a checkbox on. */
  check(box: Locator): Promise<void>;
}

export const pointer: Hands = {
  press: (what) => what.click(),
  write: (field, text) => field.fill(text),
  async choose(list, entry) {
    await list.selectOption({ label: entry });
  },
  check: (box) => box.check(),
};

/** Stops on the way from one end of a page to the other. */
const mostStops = 200;

/** Goes from stop to stop until one is at the element: whatever cannot be reached so fails. */
const reach = async (page: Page, what: Locator): Promise<void> => {
  await what.waitFor();
  for (let stop = 0; stop < mostStops; stop++) {
    const there = await what.evaluate(
      (element) =>
        element ===
        (element as unknown as { ownerDocument: { activeElement: unknown } }).ownerDocument
          .activeElement,
    ); // this runs in the browser
    if (there) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no key leads to ${String(what)}`);
};

export const keyboard = (page: Page): Hands => ({
  async press(what) {
    await reach(page, what);
    await page.keyboard.press('Enter');
  },
  async write(field, text) {
    await reach(page, field);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  },
  async choose(list, entry) {
    await reach(page, list);
    // A closed list goes to the entry that begins with what is typed.
    await page.keyboard.type(entry);
  },
  async check(box) {
    await reach(page, box);
    if (!(await box.isChecked())) await page.keyboard.press('Space');
  },
});
