// Screens as people see them who see, hear or point differently: in light and dark, wide and on a phone.
import { expect } from 'chai';
import { axeFaults, overflows, type OpenedPage } from './browser.js';
import type { Screens } from './signed-in.js';

const looks = [
  ['light', 1400, false],
  ['dark', 1400, true],
  ['on a phone', 390, true],
] as const;

/** What says that something is on its way; a chart below the screen asks for nothing, and says so in its foot. */
const waits = 'p.told, p.faint, p.empty, main.faint';

/** A case for each look: no place has a fault that axe-core finds, and none is reached by scrolling sideways only. */
export const holdsForEverybody = (
  screens: () => Screens,
  placesOf: () => readonly string[],
  more?: (opened: OpenedPage, title: string) => Promise<void>,
): void => {
  for (const [title, width, dark] of looks)
    it(`has no fault for people who see or point differently: ${title}`, async function () {
      this.timeout(120_000);
      const opened = await screens().signIn({ width, dark });
      const { page } = opened;
      for (const place of placesOf()) {
        await page.goto(place);
        await page.locator('main h1, main nav.tabs').first().waitFor();
        await page
          .locator(waits)
          .filter({ hasText: 'loading …' })
          .first()
          .waitFor({ state: 'detached' });
        expect([place, await axeFaults(page)]).to.deep.equal([place, []]);
        expect([place, await overflows(page)]).to.deep.equal([place, false]);
      }
      await more?.(opened, title);
      await opened.context.close();
    });
};
