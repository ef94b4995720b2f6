// Screens as people see them who see, hear or point differently: in light and dark, wide and on a phone.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFaults, overflows, type OpenedPage } from './browser.js';
import { storageNow, type Screens } from './signed-in.js';

const widths = [
  ['on a wide screen', 1400],
  ['on a phone', 390],
] as const;

/** What says that something is on its way; a chart below the screen asks for nothing, and says so in its foot. */
const waits = 'p.told, p.faint, p.empty, main.faint';

/** Opens a place and waits until all of it is there. */
export const openWhole = async (page: Page, place: string): Promise<void> => {
  await page.goto(place);
  await page.locator('main h1, main nav.tabs').first().waitFor();
  await page.locator(waits).filter({ hasText: 'loading …' }).first().waitFor({ state: 'detached' });
};

/** Fails where axe-core finds a fault in light or dark, or something is reached by scrolling sideways only. */
export const expectFaultless = async (page: Page, place: string): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // In the dark the page is the same but for its colours.
    const faults = await axeFaults(page, { ofColours: colorScheme === 'dark' });
    expect([place, colorScheme, faults]).to.deep.equal([place, colorScheme, []]);
  }
  expect([place, await overflows(page)]).to.deep.equal([place, false]);
};

/** A case for each width: no place has a fault, in light or dark. On the embedded database alone: how a page looks is no matter of where its rows are. */
export const holdsForEverybody = (
  screens: () => Screens,
  placesOf: () => readonly string[],
  more?: (opened: OpenedPage, title: string) => Promise<void>,
): void => {
  for (const [title, width] of storageNow() === 'embedded' ? widths : [])
    it(`has no fault for people who see or point differently, in light and dark: ${title}`, async function () {
      this.timeout(180_000);
      const opened = await screens().signIn({ width });
      for (const place of placesOf()) {
        await openWhole(opened.page, place);
        await expectFaultless(opened.page, place);
      }
      await more?.(opened, title);
      await opened.context.close();
    });
};
