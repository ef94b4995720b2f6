// Every screen with what a demo stores, as people have it who see, hear or point differently: light and dark, wide and on a phone.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectFaultless, openWhole } from './faultless.js';
import { everyRoute } from './routes.js';
import { openScreens, type Screens } from './signed-in.js';

/** Which tabs do not show the one that is looked at. */
const currentOutOfSight = (page: Page): Promise<readonly string[]> =>
  page.locator('nav.tabs').evaluateAll((all) =>
    all.flatMap((one) => {
      interface Box {
        readonly left: number;
        readonly right: number;
      }
      const tabs = one as unknown as {
        readonly ariaLabel: string;
        getBoundingClientRect(): Box;
        querySelector(of: string): { getBoundingClientRect(): Box } | null;
      }; // an element of the page
      const [box, current] = [
        tabs.getBoundingClientRect(),
        tabs.querySelector('[aria-current]')?.getBoundingClientRect(),
      ];
      const isSeen =
        current === undefined || (current.left >= box.left - 1 && current.right <= box.right + 1);
      return isSeen ? [] : [tabs.ariaLabel];
    }),
  );

describe('every screen of the web UI, filled by the demo', function () {
  this.timeout(300_000);
  let screens: Screens;
  let places: readonly string[];
  before('start a server and a browser, and fill the demo', async function () {
    this.timeout(240_000);
    screens = await openScreens(this, { count: 1 });
    places = await everyRoute(screens);
  });
  after(async () => {
    await screens?.stop();
  });

  for (const [title, width] of [
    ['on a wide screen', 1400],
    ['on a phone', 390],
  ] as const)
    it(`has no fault in light or dark, asks nobody but the server, and makes the browser complain of nothing: ${title}`, async () => {
      const { page, context, complaints } = await screens.signIn({ width });
      const elsewhere: string[] = [];
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== screens.server.url && !/^(data|blob):$/.test(protocol))
          elsewhere.push(request.url());
      });
      for (const place of places) {
        await openWhole(page, place);
        await expectFaultless(page, place);
        expect([place, await currentOutOfSight(page)]).to.deep.equal([place, []]);
        expect([place, await page.getByText('There is nothing here').count()]).to.deep.equal([
          place,
          0,
        ]);
      }
      // Of what is not there, and of what the page before still waited for, which is given up on leaving it.
      expect(complaints().filter((says) => !/404| failed$/.test(says))).to.deep.equal([]);
      expect(elsewhere).to.deep.equal([]);
      await context.close();
    });
});
