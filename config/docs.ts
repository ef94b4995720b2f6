// Writes the generated parts of the README: settings, toggles and operations. `--check` only says whether they are current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serviceArea, swaggerArea, versionArea } from '#adapters/http/service';
import { areas } from '#core/areas';
import { reach, standings } from '#ports/api/reach';
import { settingNames, settingRows } from './settings.js';
import { toggleRows } from './toggles.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const settingsTable = (): string => [
  '| Setting | Default | What it does |', '| --- | --- | --- |',
  ...settingNames.map((name) => `| \`${name}\` | ${settingRows[name].default === '' ? '' : `\`${String(settingRows[name].default)}\``} | ${cell(settingRows[name].says)} |`),
].join('\n');

const togglesTable = (): string => [
  '| Toggle | Default | What it decides |', '| --- | --- | --- |',
  ...Object.entries(toggleRows).map(([name, row]) => `| \`${name}\` | ${row.default ? 'on' : 'off'} | ${cell(row.says)} |`),
].join('\n');

const operationsTable = (): string => [...areas, versionArea, serviceArea, swaggerArea].map((area) => [
  `<details><summary>${area.name} (${Object.keys(area.table).length})</summary>\n`, '| Operation | Method and path | Access | What it does |', '| --- | --- | --- | --- |',
  ...Object.entries(area.table).map(([id, row]) => `| \`${id}\` | ${row.method} \`${cell([row.path].flat()[0] ?? '')}\` | ${row.access} | ${cell(row.summary)} |`), '\n</details>',
].join('\n')).join('\n');

const verdicts: Readonly<Record<string, string>> = { allowed: 'yes', refused: 'no', unknown: 'as if it did not exist' };
const rolesTable = (): string => [
  `| Access | ${standings.join(' | ')} |`, `| --- |${standings.map(() => ' --- |').join('')}`,
  ...Object.entries(reach).map(([access, row]) => `| ${access} | ${standings.map((standing) => verdicts[row[standing]] ?? '').join(' | ')} |`),
].join('\n');

/** The text with its generated parts made anew; everything else stays as it is. */
export const renew = (text: string): string => {
  const parts: Readonly<Record<string, () => string>> = { settings: settingsTable, toggles: togglesTable, operations: operationsTable, roles: rolesTable };
  return Object.entries(parts).reduce((before, [name, make]) => before.replace(new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`), (_, start: string, end: string) => `${start}${make()}\n${end}`), text);
};

export const readmePath = fileURLToPath(new URL('../../README.md', import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = readFileSync(readmePath, 'utf8');
  const after = renew(before);
  if (process.argv.includes('--check')) {
    if (before !== after) { process.stderr.write('the README is not current; run npm run docs\n'); process.exitCode = 1; }
  } else if (before !== after) writeFileSync(readmePath, after);
}
