// What other plugins add to the web UI: which pages and panels there are, and the files of their folders.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { area, type Area } from '#ports/api/area';
import { pageFamily } from '#ports/api/families/page';
import { privateFamily } from '#ports/api/families/private';
import { Failure } from '#ports/failure';
import type { PluginUi, UiAdditions, UiElement } from '#ports/plugin-ui';
import { typeOf } from './files.js';
import { additionFileOperations, additionOperations } from './rows.js';

const addressOf = (plugin: string, file: string): string =>
  `/app/plugins/${encodeURIComponent(plugin)}/${encodeURIComponent(file)}`;

const toWire = (plugin: string, { name, title, element, script }: UiElement) => ({
  plugin,
  name,
  title,
  element,
  script: addressOf(plugin, script),
});

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(bytes);
}

/** A file of the folder by its name; only what lies in the folder itself is found, whatever the name says. */
const readOwn = ({ folder }: UiAdditions, name: string): Uint8Array | undefined => {
  const found = readdirSync(fileURLToPath(folder), { withFileTypes: true }).find(
    (entry) => entry.name === name && entry.isFile(),
  );
  return found === undefined ? undefined : readFileSync(new URL(encodeURIComponent(name), folder));
};

export const additionAreas = (additions: PluginUi): readonly Area[] => [
  area({
    name: 'web-ui-additions',
    summary: 'Pages and panels that plugins add to the web UI.',
    family: privateFamily,
    table: additionOperations,
    needs: {},
    handlers: () => ({
      async listUiAdditions() {
        const all = additions.list();
        return {
          pages: all.flatMap(({ plugin, ui: { pages = [] } }) =>
            pages.map((page) => ({ ...toWire(plugin, page), of: page.of })),
          ),
          panels: all.flatMap(({ plugin, ui: { panels = [] } }) =>
            panels.map((panel) => toWire(plugin, panel)),
          ),
        };
      },
    }),
  }),
  area({
    name: 'web-ui-addition-files',
    summary: 'Files of the pages and panels that plugins add to the web UI.',
    family: pageFamily,
    table: additionFileOperations,
    needs: {},
    handlers: () => ({
      async showUiAdditionFile({ params: { plugin, file } }) {
        const ui = additions.list().find((one) => one.plugin === plugin)?.ui;
        const content = ui === undefined ? undefined : readOwn(ui, file);
        if (content === undefined)
          throw new Failure('absent', `there is no file ${file} of plugin ${plugin}`);
        return {
          type: typeOf(file),
          ownPage: true as const,
          size: content.length,
          open: () => once(content),
        };
      },
    }),
  }),
];
