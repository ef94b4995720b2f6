import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifest = new URL('../../package.json', import.meta.url); // our own package

/** The folder in which this release is installed. */
export const home = fileURLToPath(new URL('.', manifest));

/** The release that this is, as its package says. */
export const version = (
  JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly version: string;
  }
).version;
