// Deleting by a page as people do it: agreed to, and then taken back or waited for.
import type { Page } from 'playwright-core';

/** Longer than a deletion waits. */
const graceMs = 8500;

/** Presses the button of that name and agrees to what the dialog says; the clock of the page is held from then on by `letGo`. */
export const agreeTo = async (page: Page, name: string): Promise<void> => {
  await page.clock.install();
  await page.getByRole('button', { name, exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^(Delete|Remove)/ })
    .click();
};

/** Takes back what was agreed to. */
export const takeBack = async (page: Page, subject: string, ends = 'stays'): Promise<void> => {
  await page
    .locator('.toasts p')
    .filter({ hasText: `${subject} will be` })
    .getByRole('button', { name: 'Undo' })
    .click();
  await page.getByText(`${subject} ${ends}`).waitFor();
};

/** Waits until what was agreed to is done. */
export const letGo = async (page: Page, subject: string, ends = 'is deleted'): Promise<void> => {
  await page.getByText(`${subject} will be`).waitFor();
  await page.clock.fastForward(graceMs);
  await page.getByText(`${subject} ${ends}`).waitFor();
};
