// `orrery plugin new`: a plugin to begin with, which passes its own tests.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { Failure } from '#ports/failure';
import { withFile } from '../file-faults.js';
import type { Output } from '../output.js';
import { home, version } from '../version.js';
import { pluginFiles } from './plugin-template.js';

const longestName = 40;

/** Refuses what npm would not take as a package, or the product not as the name of a plugin. */
const requireName = (packageName: string): string => {
  const name = packageName.replace(/^orrery-plugin-/, '');
  if (!/^[a-z][a-z0-9-]*$/.test(name) || packageName.length > longestName)
    throw new Failure(
      'invalid',
      `${packageName.slice(0, 60)} cannot be the name of a plugin: give lower-case letters, digits and dashes, beginning with a letter, at most ${longestName}`,
    );
  return name;
};

export const newPlugin = async (folder: string, output: Output): Promise<void> => {
  const path = resolve(folder);
  const packageName = basename(path);
  const files = pluginFiles({
    packageName,
    name: requireName(packageName),
    version,
    home: relative(path, home).split(sep).join('/'),
  });
  await withFile('written', path, async () => {
    await mkdir(path, { recursive: true });
    if ((await readdir(path)).length > 0)
      throw new Failure('conflict', `the folder ${path} is not empty`);
    for (const [name, text] of Object.entries(files))
      await writeFile(join(path, name), text, { flag: 'wx' });
  });
  output.line(`made ${path}; next: npm install && npm test in that folder`);
  output.json({ folder: path, files: Object.keys(files) });
};
