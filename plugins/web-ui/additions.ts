// What other plugins add to the web UI: which pages and panels there are, and the files of their folders.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { area, type Area } from '#ports/api/area';
import { pageFamily } from '#ports/api/families/page';
import { privateFamily } from '#ports/api/families/private';
import { Failure } from '#ports/failure';
import type { PluginUi, UiAdditions, UiElement } from '#ports/plugin-ui';
import { once } from './bytes.js';
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

/** The files of a folder of a plugin, by name, as they are asked for; which there are is looked up once. Only what lies in the folder itself is found, whatever the name says. */
const folderFiles = () => {
  const folders = new Map<string, ReadonlyMap<string, URL>>();
  const listed = (folder: URL): ReadonlyMap<string, URL> => {
    const known = folders.get(folder.href);
    if (known !== undefined) return known;
    const found = new Map(
      readdirSync(fileURLToPath(folder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => [name, new URL(encodeURIComponent(name), folder)] as const),
    );
    folders.set(folder.href, found);
    return found;
  };
  return async ({ folder }: UiAdditions, name: string): Promise<Uint8Array | undefined> => {
    const at = listed(folder).get(name);
    return at === undefined ? undefined : await readFile(at);
  };
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
            pages.map((page) => ({
              ...toWire(plugin, page),
              of: page.of,
              anchor: page.anchor ?? null,
            })),
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
    handlers: () => {
      const read = folderFiles();
      return {
        async showUiAdditionFile({ params: { plugin, file } }) {
          const ui = additions.list().find((one) => one.plugin === plugin)?.ui;
          const content = ui === undefined ? undefined : await read(ui, file);
          if (content === undefined)
            throw new Failure('absent', `there is no file ${file} of plugin ${plugin}`);
          return {
            type: typeOf(file),
            ownPage: true as const,
            size: content.length,
            open: () => once(content),
          };
        },
      };
    },
  }),
];
