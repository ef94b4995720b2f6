// What is wrong with what a plugin adds to the web UI, found before anything is served.
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isName, isObject, quoted, unknownMember } from './plugin-manifest.js';

const titleLength = 60;

const isFile = (folder: URL, name: unknown): boolean => {
  if (typeof name !== 'string' || !/^[\w.-]+\.m?js$/.test(name)) return false;
  try {
    return statSync(fileURLToPath(new URL(name, folder))).isFile();
  } catch {
    return false;
  }
};

const elementFault = (what: string, given: unknown, folder: URL): string | undefined => {
  if (!isObject(given)) return `one of its ${what}s is not an object`;
  if (!isName(given['name']))
    return `the name of its ${what} ${quoted(given['name'])} is not lower-case words with dashes`;
  const { name, title, element, script } = given;
  if (typeof title !== 'string' || title === '' || title.length > titleLength)
    return `its ${what} ${name} has no title of at most ${titleLength} characters`;
  if (typeof element !== 'string' || !/^[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(element))
    return `the element ${quoted(element)} of its ${what} ${name} is not lower-case words with a dash`;
  if (!isFile(folder, script))
    return `the script ${quoted(script)} of its ${what} ${name} is no file of its folder`;
  return undefined;
};

const listFault = (what: string, given: unknown, folder: URL): string | undefined => {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) return `its ${what}s are not a list`;
  const seen = new Set<unknown>();
  for (const one of given as readonly unknown[]) {
    const fault = elementFault(what, one, folder);
    if (fault !== undefined) return fault;
    const { name, of, anchor } = one as Readonly<Record<string, unknown>>; // as was just checked
    if (seen.has(name)) return `it has two ${what}s called ${quoted(name)}`;
    if (what === 'page' && of !== 'workspace' && of !== 'project')
      return `its page ${quoted(name)} is neither of a workspace nor of a project`;
    if (anchor !== undefined && (of !== 'workspace' || !isName(anchor)))
      return `the anchor of its ${what} ${quoted(name)} is no name, or the page is not of a workspace`;
    seen.add(name);
  }
  return undefined;
};

/** What is wrong with it, in one sentence; `undefined` when nothing is. */
export const uiFault = (ui: unknown): string | undefined => {
  if (ui === undefined) return undefined;
  if (!isObject(ui)) return 'its ui is not an object';
  const { folder, pages, panels } = ui;
  if (!(folder instanceof URL) || folder.protocol !== 'file:' || !folder.pathname.endsWith('/'))
    return 'the folder of its ui is not the URL of a folder on disk, with a slash at its end';
  return (
    unknownMember('its ui', ui, ['folder', 'pages', 'panels']) ??
    listFault('page', pages, folder) ??
    listFault('panel', panels, folder)
  );
};
