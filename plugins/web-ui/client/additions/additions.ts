// What plugins add to the app: asked once, when something of it may be shown.
import { signal } from '@preact/signals';
import { additionsServer } from '../server.js';
import { isShared } from '../state.js';

type Additions = Awaited<ReturnType<typeof additionsServer.list>>;
export type Page = Additions['pages'][number];
export type Panel = Additions['panels'][number];

const found = signal<Additions>({ pages: [], panels: [] });
let asked = false;

/** Nothing until the server has answered; a server that does not answer says so elsewhere. */
export const additions = (): Additions => {
  if (!asked && !isShared) {
    asked = true;
    additionsServer.list({}).then(
      (all) => {
        found.value = all;
      },
      () => {
        asked = false;
      },
    );
  }
  return found.value;
};
